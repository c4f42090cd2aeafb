package io.penstock.core.info;

import io.penstock.core.observe.ProxyStats;
import io.penstock.core.upstream.Placement;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * The data for {@code INFO} at one moment.
 *
 * @param facts the facts that do not change
 * @param serverVersion the server version that clients are shown
 * @param valkeyVersion the Valkey version that clients are shown; null if they are shown Redis
 * @param port that the client is connected to
 * @param stats Penstock's own statistics
 * @param blocking keys on which clients block, if a requested section needs them
 * @param nodes the sums of the masters' {@code INFO}
 * @param topology the snapshot in use
 * @param coveredSlots how many slots can be served now
 * @param topologyAsOf when the topology was last confirmed; null for an upstream without refreshes
 */
public record InfoFigures(
    ProxyFacts facts,
    String serverVersion,
    @Nullable String valkeyVersion,
    int port,
    ProxyStats stats,
    BlockingKeys blocking,
    NodeInfo nodes,
    Placement topology,
    int coveredSlots,
    @Nullable Instant topologyAsOf) {}
