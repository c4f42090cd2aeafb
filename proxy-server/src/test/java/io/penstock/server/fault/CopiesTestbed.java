package io.penstock.server.fault;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.resync.CopyJobs;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.transport.Transport;
import io.penstock.server.it.CopiesFixture;
import io.penstock.server.it.ProxyFixture;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.network.Relay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** Penstock in front of a primary and its copies, whose servers tests share. */
final class CopiesTestbed implements FaultTestbed {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final Duration COPY_TIMEOUT = Duration.ofMillis(300);
  private static final int KEYS_PER_SECOND = 1_000_000;
  private static final long MOST_LAG_NANOS = 100_000_000;

  private final CopiesServers servers;
  private final ReplyPolicy policy;
  private final Duration commandTimeout;
  private final ProxyFixture proxy;
  private final Relay clientRelay;

  CopiesTestbed(
      CopiesServers servers, ReplyPolicy policy, Transport transport, Duration commandTimeout) {
    this.servers = servers;
    this.policy = policy;
    this.commandTimeout = commandTimeout;
    servers.reset();
    Map<String, UpstreamSettings> copies = new LinkedHashMap<>();
    for (int i = 0; i < CopiesServers.COPIES; i++) {
      copies.put("copy" + i, servers.upstream(servers.copy(i)));
    }
    proxy =
        ProxyFixture.of(servers.upstream(servers.primary()))
            .copies(copies, new MirrorSettings(policy, 100_000, 1 << 26), COPY_TIMEOUT)
            .transport(transport)
            .commandTimeout(commandTimeout)
            .startReady();
    clientRelay = Relay.to(proxy.host(), proxy.port());
  }

  CopiesServers servers() {
    return servers;
  }

  ReplyPolicy policy() {
    return policy;
  }

  Duration commandTimeout() {
    return commandTimeout;
  }

  private RespUpstream upstream() {
    return (RespUpstream) proxy.proxy().upstreams().getFirst();
  }

  private List<MirrorStats.Copy> stats() {
    return upstream().mirrorStats().copies();
  }

  private List<String> names(Predicate<MirrorStats.Copy> which) {
    return stats().stream().filter(which).map(MirrorStats.Copy::name).toList();
  }

  /** Waits until copies do what clients write, and brings those level that are behind. */
  void awaitCopies() {
    Awaitility.await("copies follow")
        .atMost(PATIENCE)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .untilAsserted(() -> assertThat(stats()).allMatch(CopiesTestbed::follows));
    resync(names(MirrorStats.Copy::isBehind));
  }

  private static boolean follows(MirrorStats.Copy copy) {
    return copy.lagNanos() < MOST_LAG_NANOS && copy.keysToCopy() == 0;
  }

  private void resync(List<String> names) {
    List<CopyJobs> jobs = names.stream().map(this::jobs).toList();
    jobs.forEach(each -> each.resync(KEYS_PER_SECOND, false).join());
    for (CopyJobs each : jobs) {
      CopyJobStatus ended =
          Awaitility.await("a resync of " + each.names().copy())
              .atMost(PATIENCE)
              .pollDelay(Duration.ZERO)
              .pollInterval(Duration.ofMillis(10))
              .until(() -> each.status().getFirst(), status -> !status.state().isActive());
      assertThat(ended.state()).as("%s", ended).isEqualTo(State.ENDED);
      assertThat(ended.reason()).as("%s", ended).isNull();
      assertThat(ended.level()).as("%s", ended).isTrue();
    }
    assertThat(stats()).noneMatch(copy -> names.contains(copy.name()) && copy.isBehind());
  }

  private CopyJobs jobs(String copy) {
    return Objects.requireNonNull(upstream().copyJobs().get(copy));
  }

  @Override
  public List<WorkloadClient> clients(FaultWorkload workload, Random random) {
    String a = tags().get(0);
    String b = tags().get(1);
    var counter = new CounterWorkload(a + ":count");
    var queue = new QueueWorkload(b + ":queue", workload.timeline(), workload.counts());
    List<WorkloadClient> clients = new ArrayList<>(workload.appenders(tags()));
    clients.addAll(
        List.of(
            counter.client("counter", workload, ClientConnection.RESP2, 5),
            counter.client("counter of Jedis", workload, ClientConnection.JEDIS, 1),
            queue.pusher("pusher", workload, ClientConnection.RESP3),
            queue.popper("popper", workload, ClientConnection.RESP2, "BLPOP"),
            new TransactionClient("transactor", workload, ClientConnection.RESP2, a + ":t", false),
            new TransactionClient("watcher", workload, ClientConnection.RESP3, b + ":t", true),
            new ReadBackClient("rereader", workload, ClientConnection.RESP2, a + ":reread")));
    // A write that ends another client's wait would get NOCOPIES at any time: see copies.md.
    int kinds = CopiesFaults.tells(policy) ? CopiesFixture.ORDERED : CopiesFixture.ALL;
    for (int i = 0; i < 3; i++) {
      ClientConnection.Kind kind = i == 0 ? ClientConnection.RESP3 : ClientConnection.RESP2;
      clients.add(new RacingClient("racer " + i, workload, kind, kinds, random.nextLong()));
      clients.add(new PlacedWritesClient("placer " + i, workload, kind, this));
    }
    return clients;
  }

  /** No server has a replica. */
  @Override
  public Duration replicaPatience() {
    return Duration.ofMillis(1);
  }

  /** Brings the copies level while clients write. */
  @Override
  public void beforeStop() {
    resync(names(_ -> true));
  }

  /** The copies are equal to the primary key by key, with deadlines. */
  @Override
  public void verify() {
    Awaitility.await("copies are done")
        .atMost(PATIENCE)
        .until(() -> stats().stream().allMatch(MirrorStats.Copy::isIdle));
    List<String> expected = CopiesFixture.contents(servers.primary());
    assertThat(expected).isNotEmpty();
    for (int i = 0; i < CopiesServers.COPIES; i++) {
      assertThat(stats().get(i).behindReason()).isNull();
      assertThat(CopiesFixture.contents(servers.copy(i))).isEqualTo(expected);
    }
  }

  @Override
  public ProxyFixture proxy() {
    return proxy;
  }

  @Override
  public Relay clientRelay() {
    return clientRelay;
  }

  @Override
  public List<Relay> relays() {
    return servers.relays();
  }

  @Override
  public Relay relayOf(ServerProcess node) {
    return servers.relayOf(node);
  }

  @Override
  public ServerProcess anyMaster(Random random) {
    return servers.primary();
  }

  @Override
  public Relay anyMasterRelay(Random random) {
    return relayOf(servers.primary());
  }

  @Override
  public List<String> tags() {
    return List.of("{a}", "{b}", "{c}");
  }

  @Override
  public void close() {
    clientRelay.close();
    proxy.close();
  }
}
