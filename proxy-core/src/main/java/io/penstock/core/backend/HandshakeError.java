package io.penstock.core.backend;

import io.penstock.core.upstream.Endpoint;

/**
 * A node that takes connections and does not let Penstock in. Immutable.
 *
 * @param node which
 * @param error its error line, without {@code -} and without any password
 * @param permanent whether it never has let Penstock in, and nothing says that it soon will: a
 *     wrong password, for one
 */
public record HandshakeError(Endpoint node, String error, boolean permanent) {}
