/**
 * How an exchange gets to its node. A {@link io.penstock.core.dispatch.Dispatcher} belongs to one
 * event loop; exchanges enter with their slot, and the newest topology snapshot decides where they
 * leave to.
 */
@NullMarked
package io.penstock.core.dispatch;

import org.jspecify.annotations.NullMarked;
