/**
 * How an exchange gets to its node. A {@link io.penstock.core.dispatch.Dispatcher} belongs to one
 * event loop; exchanges enter with their destination, and the newest placement decides where they
 * leave to.
 *
 * <p>Everything runs on that loop, but what a client does that works with {@code sync}: {@link
 * io.penstock.core.dispatch.ClientThread} says what runs on the client's virtual thread, which may
 * wait.
 */
@NullMarked
package io.penstock.core.dispatch;

import org.jspecify.annotations.NullMarked;
