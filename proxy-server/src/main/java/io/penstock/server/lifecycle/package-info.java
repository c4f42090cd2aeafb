/**
 * The proxy's life in the application: built from its settings, started after everything else,
 * drained and closed before anything else.
 *
 * <p>Starting and stopping happen on Spring's threads and may wait; {@link
 * io.penstock.server.lifecycle.RefreshLog} is called on the core's threads and never does.
 */
@NullMarked
package io.penstock.server.lifecycle;

import org.jspecify.annotations.NullMarked;
