/**
 * Upstreams that are made of other upstreams by a rule that selects one of them: for each key, by
 * its prefix or by weight ({@link io.penstock.core.division.DividedUpstreamSettings}), or for each
 * client ({@link io.penstock.core.division.SpreadUpstreamSettings}). Their placements enter. One
 * placement that has them all leaves, or a lane for each. Immutable; rules are used on event loops.
 */
@NullMarked
package io.penstock.core.division;

import org.jspecify.annotations.NullMarked;
