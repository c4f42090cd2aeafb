/** Tests of what Prometheus reads. */
@NullMarked
package io.penstock.server.metrics;

import org.jspecify.annotations.NullMarked;
