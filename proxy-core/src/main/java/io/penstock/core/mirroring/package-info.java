/**
 * Has the copies of an upstream do what its primary did, in the order in which the primary did it.
 * Clients' requests enter before they are sent, and wait here for others to the same keys; what
 * copies get leaves to their queues ({@link io.penstock.core.copies}), and replies to clients, at
 * once or when copies have done the same. What a copy gets for one call is {@link
 * io.penstock.core.mirror}'s business.
 *
 * <p>Everything of a client is confined to its event loop; stripes pass from one loop to another.
 */
@NullMarked
package io.penstock.core.mirroring;

import org.jspecify.annotations.NullMarked;
