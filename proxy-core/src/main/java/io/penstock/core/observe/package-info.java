/**
 * Events and statistics of the core for the embedding application.
 *
 * <p>Rare events go through {@link io.penstock.core.observe.ProxyEvents}. Statistics of the hot
 * path are plain counters, one set for each event loop; {@link io.penstock.core.observe.ProxyStats}
 * is their immutable sum, computed on request.
 */
@NullMarked
package io.penstock.core.observe;

import org.jspecify.annotations.NullMarked;
