/**
 * What probes and people ask about the proxy over HTTP: the {@code proxy} part of readiness, and
 * the {@code topology} endpoint. On the management port's threads; reads snapshots, waits for
 * nothing.
 */
@NullMarked
package io.penstock.server.health;

import org.jspecify.annotations.NullMarked;
