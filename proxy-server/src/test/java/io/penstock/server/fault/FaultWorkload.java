package io.penstock.server.fault;

import io.penstock.server.it.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;

/** All clients that use Penstock while faults are injected. */
final class FaultWorkload implements AutoCloseable {

  /** The time from the end of a fault until all clients succeed again. */
  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private final FaultTestbed testbed;
  private final FaultTimeline timeline;
  private final EventCounts counts = new EventCounts();
  private final List<WorkloadClient> clients = new ArrayList<>();
  private final Load load = new Load();

  /** Prepares the data; no client runs yet. */
  FaultWorkload(FaultTestbed testbed, FaultTimeline timeline, long seed) {
    this.testbed = testbed;
    this.timeline = timeline;
    try (ClientConnection connection = connect(ClientConnection.RESP2)) {
      connection.exchange(List.<String[]>of(new String[] {"FLUSHALL"})); // data of other tests
    }
    clients.addAll(testbed.clients(this, new Random(seed)));
  }

  /**
   * Returns clients of all kinds, and prepares their data.
   *
   * @param tags three hash tags, in a cluster one of each shard
   */
  List<WorkloadClient> allClients(List<String> tags, Random random) {
    try (ClientConnection connection = connect(ClientConnection.RESP2)) {
      PipelineClient.prepare(connection, tags);
    }
    List<WorkloadClient> all = appenders(tags);
    var counting = new CounterWorkload(tags.get(1) + ":count");
    var queue = new QueueWorkload(tags.get(2) + ":queue", timeline, counts);
    var broadcast = ChannelWorkload.clusterWide(tags.get(0) + ":news");
    var shard = ChannelWorkload.sharded(tags.get(1) + ":news of a shard");
    all.addAll(
        List.of(
            counting.client("counter", this, ClientConnection.RESP2, 5),
            counting.client("counter of Jedis", this, ClientConnection.JEDIS, 1),
            queue.pusher("pusher", this, ClientConnection.RESP3),
            queue.popper("popper 1", this, ClientConnection.RESP2, "BLPOP"),
            queue.popper("popper 2", this, ClientConnection.RESP3, "BRPOP"),
            queue.popper(
                "popper over slots",
                this,
                ClientConnection.RESP2,
                "BLPOP",
                tags.get(0) + ":no queue"),
            broadcast.publisher("publisher", this, ClientConnection.RESP2),
            broadcast.subscriber("subscriber", this, ClientConnection.RESP2, "SUBSCRIBE"),
            broadcast.subscriber("pattern subscriber", this, ClientConnection.RESP3, "PSUBSCRIBE"),
            shard.publisher("shard publisher", this, ClientConnection.RESP3),
            shard.subscriber("shard subscriber", this, ClientConnection.RESP3, "SSUBSCRIBE"),
            new PipelineClient(
                "pipeliner 2", this, ClientConnection.RESP2, tags, random.nextLong()),
            new PipelineClient(
                "pipeliner 3", this, ClientConnection.RESP3, tags, random.nextLong()),
            new MoveClient(
                "mover", this, ClientConnection.RESP2, tags.get(0) + ":from", tags.get(1) + ":to"),
            new SpreadTransactionClient(
                "spread transactor",
                this,
                ClientConnection.RESP2,
                tags.get(0) + ":spread",
                tags.get(2) + ":spread"),
            new RenameClient(
                "renamer",
                this,
                ClientConnection.RESP3,
                tags.get(1) + ":old",
                tags.get(2) + ":new"),
            new AllShardsClient("all shards", this, ClientConnection.RESP2)));
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      all.add(new ReadBackClient("rereader " + i, this, ClientConnection.RESP2, key + ":reread"));
      all.add(
          new TransactionClient(
              "transactor " + i, this, ClientConnection.RESP2, key + ":t", i % 2 == 1));
    }
    return all;
  }

  /** Returns clients that append to lists of their own: raw ones, and those of two libraries. */
  List<WorkloadClient> appenders(List<String> tags) {
    List<WorkloadClient> all = new ArrayList<>();
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      all.add(new AppendClient("appender " + i, this, ClientConnection.RESP3, key + ":append", 16));
    }
    all.add(new AppendClient("Jedis", this, ClientConnection.JEDIS, tags.get(0) + ":jedis", 4));
    all.add(
        new AppendClient("Lettuce", this, ClientConnection.LETTUCE, tags.get(1) + ":lettuce", 4));
    return all;
  }

  FaultTimeline timeline() {
    return timeline;
  }

  Duration replicaPatience() {
    return testbed.replicaPatience();
  }

  EventCounts counts() {
    return counts;
  }

  ClientConnection connect(ClientConnection.Kind kind) {
    return kind.open(testbed.clientAddress());
  }

  /**
   * Starts the clients one after the other, so that a JVM with cold code keeps up. Returns when
   * each has completed a step.
   */
  void start() {
    for (WorkloadClient client : clients) {
      long since = System.nanoTime();
      load.add(client.name(), client);
      awaitRecovery(List.of(client), since);
    }
    awaitRecovery(System.nanoTime());
  }

  /**
   * Waits until each client has completed a successful step that began after {@code since}. Fails
   * if that takes too long or a client failed.
   *
   * @return the time since then, in milliseconds
   */
  long awaitRecovery(long since) {
    return awaitRecovery(clients, since);
  }

  private long awaitRecovery(List<WorkloadClient> which, long since) {
    Awaitility.await("all clients are served again")
        .atMost(RECOVERY)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .failFast("a client failed", () -> !hasNoFailure())
        .until(() -> which.stream().allMatch(client -> client.lastSuccessAt() - since > 0));
    return (System.nanoTime() - since) / 1_000_000;
  }

  private boolean hasNoFailure() {
    load.check();
    return true;
  }

  /** Fails if a client has failed. */
  void check() {
    load.check();
  }

  /** Waits until each client has completed a full step. */
  void awaitFullSteps() {
    load.awaitFullSteps();
  }

  long steps() {
    return load.steps();
  }

  /** Stops the clients and compares the data with what each of them knows. */
  void stopAndVerify() {
    testbed.beforeStop();
    load.stop();
    try (ClientConnection fresh = connect(ClientConnection.RESP2)) {
      clients.forEach(client -> client.verify(fresh));
    }
    testbed.verify();
  }

  @Override
  public void close() {
    load.close();
    clients.forEach(WorkloadClient::close);
  }
}
