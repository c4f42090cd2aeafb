package io.penstock.core.session;

import io.penstock.core.answer.ProxyView;
import io.penstock.core.client.Nodes;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.resp.RespLimits;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings for all clients.
 *
 * @param password of clients, or null
 * @param certificateUsers users that clients' certificates may name; {@code *} for any
 * @param limits of requests
 * @param times how long requests may take
 * @param database of the clients
 * @param clientLimits the resources that clients may use
 * @param face what clients see of the proxy as a server
 */
public record SessionSettings(
    @Nullable String password,
    Set<String> certificateUsers,
    RespLimits limits,
    Nodes.Timeouts times,
    int database,
    ClientLimits clientLimits,
    ProxyView face) {}
