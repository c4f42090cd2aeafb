/**
 * Accepts clients: the listening socket, TCP or Unix, the limit on connected clients, and the whole
 * client pipeline. Netty's events enter, calls of {@link io.penstock.core.session.Session} leave,
 * both on the client's loop; {@link io.penstock.core.listener.Admission} counts over all loops.
 */
@NullMarked
package io.penstock.core.listener;

import org.jspecify.annotations.NullMarked;
