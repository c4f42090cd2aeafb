/**
 * Where a command goes, and how the replies to a divided one become one. Pure: commands enter,
 * {@link io.penstock.core.route.RoutePlan}s leave; nothing is sent here. A router keeps scratch
 * arrays and so belongs to one event loop.
 */
@NullMarked
package io.penstock.core.route;

import org.jspecify.annotations.NullMarked;
