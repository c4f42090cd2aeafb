/**
 * The wire as clients see it: literals and their bytes ({@link io.penstock.testkit.wire.Wire}), and
 * a blocking connection ({@link io.penstock.testkit.wire.RespClient}) that gives replies as they
 * came or taken apart. It knows nothing of Redis but RESP.
 */
@NullMarked
package io.penstock.testkit.wire;

import org.jspecify.annotations.NullMarked;
