package io.penstock.core.shards;

import java.time.Duration;

/**
 * When a server that fails leaves the layout, so that its keys belong to others.
 *
 * @param failures failures in a row, at least 1
 * @param retry how long it stays out
 */
public record EjectionSettings(int failures, Duration retry) {}
