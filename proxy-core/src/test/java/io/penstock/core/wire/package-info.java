/** What tests of the core share: frames, every way to cut bytes, log lines, and scripted peers. */
@NullMarked
package io.penstock.core.wire;

import org.jspecify.annotations.NullMarked;
