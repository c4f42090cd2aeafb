/** Tests of secrets. */
@NullMarked
package io.penstock.server.secret;

import org.jspecify.annotations.NullMarked;
