/**
 * The state of the proxy over HTTP, for probes and operators: the {@code proxy} part of readiness,
 * and the {@code topology} endpoint. On the threads of the management port; reads snapshots and
 * never blocks.
 */
@NullMarked
package io.penstock.server.health;

import org.jspecify.annotations.NullMarked;
