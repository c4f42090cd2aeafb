/**
 * The subscriptions of a client, and the delivery of messages between its replies. Requests enter,
 * and messages from the hub in {@code pubsub}; confirmations and messages leave to the socket. On
 * the client's event loop.
 */
@NullMarked
package io.penstock.core.subscribe;

import org.jspecify.annotations.NullMarked;
