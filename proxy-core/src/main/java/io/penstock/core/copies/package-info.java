/**
 * Mirrored writes: has the copies of an upstream do what its primary did, in the order in which the
 * primary did it. {@link io.penstock.core.mirror} says what a copy gets for one call; this room
 * orders the calls, queues what copies get, sends it, and knows how far each copy has come.
 */
@NullMarked
package io.penstock.core.copies;

import org.jspecify.annotations.NullMarked;
