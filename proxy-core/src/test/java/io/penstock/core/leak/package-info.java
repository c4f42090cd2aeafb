/**
 * Fails a test class after which a buffer was found that nobody released. Registered for all tests
 * in {@code META-INF/services}; another module needs these classes, that line and the autodetection
 * switch in {@code junit-platform.properties}.
 */
@NullMarked
package io.penstock.core.leak;

import org.jspecify.annotations.NullMarked;
