package io.penstock.core.session;

import io.penstock.core.answer.ProxyView;
import io.penstock.core.client.Nodes;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.resp.RespLimits;
import org.jspecify.annotations.Nullable;

/**
 * What holds for all clients.
 *
 * @param password what clients must {@code AUTH} with, or null
 * @param limits of requests
 * @param times how long requests may take
 * @param database the one that clients are in
 * @param clientLimits what clients may take
 * @param face what clients are told of the proxy as a server
 */
public record SessionSettings(
    @Nullable String password,
    RespLimits limits,
    Nodes.Times times,
    int database,
    ClientLimits clientLimits,
    ProxyView face) {}
