/** What tests of the wire share: literals as bytes, every way to cut them, and scripted peers. */
@NullMarked
package io.penstock.core.wire;

import org.jspecify.annotations.NullMarked;
