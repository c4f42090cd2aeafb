/** Tests of reading and checking the configuration, without a context. */
@NullMarked
package io.penstock.server.url;

import org.jspecify.annotations.NullMarked;
