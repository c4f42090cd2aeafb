/**
 * The kinds of upstream that are no cluster, also those that consist of others, and what the
 * discovery of every kind has in common: when it is refreshed, which nodes are queried, and what is
 * reported. On the topology thread. Nothing blocks.
 */
@NullMarked
package io.penstock.core.topology;

import org.jspecify.annotations.NullMarked;
