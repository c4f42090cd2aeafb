/**
 * The proxy's life in the application: built from its settings, started after everything else,
 * drained and closed before anything else.
 *
 * <p>Starting and stopping happen on Spring's threads and may wait. Profile {@code demo} brings a
 * cluster of its own.
 */
@NullMarked
package io.penstock.server.lifecycle;

import org.jspecify.annotations.NullMarked;
