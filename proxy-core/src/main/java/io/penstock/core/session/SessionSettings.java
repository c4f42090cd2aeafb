package io.penstock.core.session;

import io.penstock.core.resp.RespLimits;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all clients.
 *
 * @param password what clients must {@code AUTH} with, or null
 * @param limits of requests
 * @param commandTimeoutNanos how long a node may take to answer a command, from when it was sent
 * @param patienceNanos so long after its arrival a command that did not run is sent, or sent again;
 *     not less than that
 * @param sharded whether slots and redirects matter: a cluster is behind the proxy
 * @param database the one that clients are in
 * @param clientLimits what clients may take
 * @param face what clients are told of the proxy as a server
 */
public record SessionSettings(
    @Nullable String password,
    RespLimits limits,
    long commandTimeoutNanos,
    long patienceNanos,
    boolean sharded,
    int database,
    ClientLimits clientLimits,
    ServerFace face) {}
