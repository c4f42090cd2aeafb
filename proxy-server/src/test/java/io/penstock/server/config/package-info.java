/** Tests of reading and checking the configuration, without a context. */
@NullMarked
package io.penstock.server.config;

import org.jspecify.annotations.NullMarked;
