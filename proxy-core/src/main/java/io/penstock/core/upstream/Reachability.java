package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * Whether nodes accept Penstock's connections. Immutable.
 *
 * @param reached whether a node has accepted one since the start
 * @param failure why the last attempt failed, without passwords; null if it succeeded
 */
public record Reachability(boolean reached, @Nullable String failure) {}
