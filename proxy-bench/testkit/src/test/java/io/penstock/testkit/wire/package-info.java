/** Tests of the client connection. */
@NullMarked
package io.penstock.testkit.wire;

import org.jspecify.annotations.NullMarked;
