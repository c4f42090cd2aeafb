package io.penstock.core.retry;

import io.penstock.core.observe.LoopCounters;
import io.penstock.core.script.Scripts;

/**
 * What the retries of all clients of a loop have in common.
 *
 * @param retryableErrors reads the nodes' errors
 * @param scripts that clients brought
 * @param counters of the loop
 */
public record RetryLoop(RetryableErrors retryableErrors, Scripts scripts, LoopCounters counters) {}
