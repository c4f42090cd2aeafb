package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * Whether nodes let Penstock in. Immutable.
 *
 * @param reached whether one has since the start
 * @param failure why none did when it was last tried, no password in it; null when one did
 */
public record Reachability(boolean reached, @Nullable String failure) {}
