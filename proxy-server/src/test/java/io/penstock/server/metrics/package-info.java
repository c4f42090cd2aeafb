/** Tests of the metrics for Prometheus. */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
