/**
 * What the core tells the outside.
 *
 * <p>Rare events go through {@link io.penstock.core.observe.ProxyEvents}. Figures of the hot path
 * are plain counters that belong to one event loop each; {@link
 * io.penstock.core.observe.ProxyStats} is the immutable sum that is put together when somebody
 * asks.
 */
@NullMarked
package io.penstock.core.observe;

import org.jspecify.annotations.NullMarked;
