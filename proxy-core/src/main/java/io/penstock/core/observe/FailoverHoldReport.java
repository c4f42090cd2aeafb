package io.penstock.core.observe;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The result of one failover hold: the requests that one event loop held for one node first. Some
 * are neither served nor failed, because their clients disconnected.
 *
 * @param lasted from the begin of the first request's hold to the end of the last one's
 * @param requests that were held
 * @param served that were sent or answered in the end
 * @param failed that were answered with an error
 * @param rejection the node's latest error reply, without {@code -}; null if the node could not be
 *     reached, or if there was none
 */
public record FailoverHoldReport(
    Duration lasted, long requests, long served, long failed, @Nullable String rejection) {}
