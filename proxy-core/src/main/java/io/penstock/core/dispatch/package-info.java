/**
 * Sends exchanges to nodes. A {@link io.penstock.core.dispatch.Dispatcher} belongs to one event
 * loop. Exchanges enter with their destination; the latest placement determines the node.
 *
 * <p>Everything runs on that loop, except for the virtual threads of clients with {@code sync},
 * which may wait: see {@link io.penstock.core.dispatch.ClientThread}.
 */
@NullMarked
package io.penstock.core.dispatch;

import org.jspecify.annotations.NullMarked;
