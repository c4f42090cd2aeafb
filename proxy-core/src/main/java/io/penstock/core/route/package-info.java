/**
 * Decides where a command goes, and merges the replies to a split one. Pure: commands enter, {@link
 * io.penstock.core.route.RoutePlan}s leave; nothing is sent. A router keeps scratch arrays and so
 * belongs to one event loop.
 */
@NullMarked
package io.penstock.core.route;

import org.jspecify.annotations.NullMarked;
