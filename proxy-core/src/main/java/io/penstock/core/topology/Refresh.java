package io.penstock.core.topology;

import io.penstock.core.upstream.RefreshTrigger;

/**
 * One refresh.
 *
 * @param number how many had begun with it
 * @param began by the topology thread's clock
 */
record Refresh(RefreshTrigger trigger, long number, long began) {}
