/**
 * One event loop's connections to each node: shared ones, those for other databases and for reads,
 * leased ones, and those for subscriptions. Exchanges enter; each goes out on one connection, waits
 * until one is ready, or is rejected. A lost connection is opened again. On the loop.
 */
@NullMarked
package io.penstock.core.node;

import org.jspecify.annotations.NullMarked;
