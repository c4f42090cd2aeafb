package io.penstock.core.retry;

import io.penstock.core.observe.LoopCounters;
import io.penstock.core.script.Scripts;

/**
 * What the retries of all clients of a loop share.
 *
 * @param retryableErrors parses errors of nodes
 * @param scripts that clients brought
 * @param counters of the loop
 */
public record RetryLoop(RetryableErrors retryableErrors, Scripts scripts, LoopCounters counters) {}
