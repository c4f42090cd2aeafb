/**
 * The subscriptions of a client, and the delivery of messages between its replies. Requests enter
 * {@link io.penstock.core.subscribe.ClientSubscriptions}, and messages from the hub in {@code
 * pubsub}; confirmations and messages leave to the socket. A client has {@link
 * io.penstock.core.subscribe.Subscriptions#NONE} until its first request to subscribe. On the
 * client's event loop.
 */
@NullMarked
package io.penstock.core.subscribe;

import org.jspecify.annotations.NullMarked;
