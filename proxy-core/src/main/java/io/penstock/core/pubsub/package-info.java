/**
 * Subscriptions of clients, put together per event loop.
 *
 * <p>Clients' subscriptions enter {@link io.penstock.core.pubsub.Hub}; what several clients of a
 * loop listen to is subscribed to once, on one connection per node ({@link
 * io.penstock.core.pubsub.Feed}), and messages fan out to the clients in the loop. Where a {@link
 * io.penstock.core.pubsub.Topic} is subscribed to follows the slot map. Everything is confined to
 * its loop but {@link io.penstock.core.pubsub.SubscriberCounts}, which counts over all loops.
 */
@NullMarked
package io.penstock.core.pubsub;

import org.jspecify.annotations.NullMarked;
