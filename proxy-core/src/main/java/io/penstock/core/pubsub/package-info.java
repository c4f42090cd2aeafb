/**
 * Subscriptions of clients, combined per event loop.
 *
 * <p>Clients' subscriptions enter {@link io.penstock.core.pubsub.Hub}. A topic that several clients
 * of a loop want is subscribed to once at a node ({@link io.penstock.core.pubsub.Feed}), over one
 * connection, or several if there are many patterns; messages fan out to the clients in the loop.
 * The placement determines the node where a {@link io.penstock.core.pubsub.Topic} is subscribed to.
 * Everything is confined to its loop except {@link io.penstock.core.pubsub.SubscriberCounts}, which
 * counts over all loops.
 */
@NullMarked
package io.penstock.core.pubsub;

import org.jspecify.annotations.NullMarked;
