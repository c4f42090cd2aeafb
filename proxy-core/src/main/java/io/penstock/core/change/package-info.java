/**
 * How the settings of a running proxy change: what differs, trials of new upstreams, one commit,
 * and the end of what nobody uses any more (docs/adr/0041). Called by {@code Proxy}, one change
 * after the other.
 */
@NullMarked
package io.penstock.core.change;

import org.jspecify.annotations.NullMarked;
