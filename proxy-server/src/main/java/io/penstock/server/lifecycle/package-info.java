/**
 * The lifecycle of the proxy in the application: created from its settings, started after
 * everything else, drained and closed before anything else.
 *
 * <p>Starting and stopping happen on Spring's threads and may block. Profile {@code demo} starts a
 * cluster of its own.
 */
@NullMarked
package io.penstock.server.lifecycle;

import org.jspecify.annotations.NullMarked;
