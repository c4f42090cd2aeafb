/**
 * An upstream whose writes go to one upstream and whose reads go to others ({@link
 * io.penstock.core.split.SplitUpstreamSettings}). Their placements enter; one placement leaves, in
 * which the nodes that are read are replicas. Immutable.
 */
@NullMarked
package io.penstock.core.split;

import org.jspecify.annotations.NullMarked;
