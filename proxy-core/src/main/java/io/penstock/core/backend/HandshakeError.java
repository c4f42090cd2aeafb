package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/**
 * The error with which a node answered the handshake of a connection. Immutable.
 *
 * @param error the error line, without {@code -} and without passwords
 * @param permanent whether no handshake with the node has succeeded yet and the error does not look
 *     temporary, such as a wrong password
 */
public record HandshakeError(Endpoint node, String error, boolean permanent) {}
