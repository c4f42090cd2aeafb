package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/**
 * The error with which a node answered the handshake of a connection. Immutable.
 *
 * @param error the error line, without {@code -} and without passwords
 * @param permanent whether waiting is useless: the error is about a password or a permission,
 *     requests would go round in a circle, or no handshake with the node has succeeded yet and the
 *     error does not look temporary
 */
public record HandshakeError(Endpoint node, String error, boolean permanent) {}
