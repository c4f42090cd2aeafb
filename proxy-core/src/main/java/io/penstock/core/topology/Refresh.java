package io.penstock.core.topology;

import io.penstock.core.upstream.RefreshTrigger;

/**
 * One refresh. Immutable.
 *
 * @param number counts the refreshes of an upstream from 1
 * @param began when it began, by the topology thread's clock
 */
public record Refresh(RefreshTrigger trigger, long number, long began) {}
