/**
 * What a client has subscribed to, and its messages between its replies. Requests enter, and
 * messages from {@code pubsub}'s hub; confirmations and messages leave to the socket. On the
 * client's event loop.
 */
@NullMarked
package io.penstock.core.subscribe;

import org.jspecify.annotations.NullMarked;
