/**
 * How tests wait for what they expect. Registered for all tests in {@code META-INF/services}; see
 * {@link io.penstock.core.leak}.
 */
@NullMarked
package io.penstock.core.waits;

import org.jspecify.annotations.NullMarked;
