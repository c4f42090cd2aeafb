package io.penstock.core.observe;

import java.time.Duration;

/**
 * The requests that one event loop held for one node, from the first to the last. Some have neither
 * been served nor failed: their clients went away, or they were held for another node next.
 *
 * @param lasted from the first one's begin to the last one's end
 * @param requests that were held
 * @param served that were sent, or answered, in the end
 * @param failed that were answered with an error
 */
public record FailoverHoldReport(Duration lasted, long requests, long served, long failed) {}
