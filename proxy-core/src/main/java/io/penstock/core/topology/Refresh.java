package io.penstock.core.topology;

import io.penstock.core.upstream.RefreshTrigger;

/**
 * One refresh.
 *
 * @param number counts refreshes from 1
 * @param began when it began, by the topology thread's clock
 */
record Refresh(RefreshTrigger trigger, long number, long began) {}
