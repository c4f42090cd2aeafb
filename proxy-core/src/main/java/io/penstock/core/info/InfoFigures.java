package io.penstock.core.info;

import io.penstock.core.observe.ProxyStats;
import io.penstock.core.upstream.Placement;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What {@code INFO} is made of, at one moment.
 *
 * @param facts what does not change
 * @param serverVersion the version that clients are told
 * @param valkeyVersion the same by Valkey's count; null where clients are told that this is Redis
 * @param port where the asking client is connected
 * @param stats Penstock's own figures
 * @param blocking keys on which clients block, where the sections asked for tell of them
 * @param nodes what the masters said
 * @param topology the snapshot in use
 * @param coveredSlots how many slots can be served right now
 * @param topologyAsOf when the topology was last confirmed, or null where there is none to look for
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
