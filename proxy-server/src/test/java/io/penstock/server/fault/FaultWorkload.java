package io.penstock.server.fault;

import io.penstock.server.it.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;

/** Everybody who works through Penstock while things go wrong. */
final class FaultWorkload implements AutoCloseable {

  /** From when nothing is wrong any more until everybody works again. */
  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private final FaultTestbed scene;
  private final FaultTimeline weather;
  private final EventCounts tally = new EventCounts();
  private final List<WorkloadClient> clients = new ArrayList<>();
  private final Load load = new Load();

  /**
   * Nobody works yet.
   *
   * @param tags hash tags, of each shard one at least
   */
  FaultWorkload(FaultTestbed scene, FaultTimeline weather, List<String> tags, long seed) {
    this.scene = scene;
    this.weather = weather;
    var random = new Random(seed);
    try (ClientConnection line = connect(ClientConnection.RESP2)) {
      line.exchange(List.<String[]>of(new String[] {"FLUSHALL"})); // what others left
      PipelineClient.prepare(line, tags);
    }
    appenders(tags);
    var counting = new CounterWorkload(tags.get(1) + ":count");
    var queue = new QueueWorkload(tags.get(2) + ":queue");
    var broadcast = ChannelWorkload.everywhere(tags.get(0) + ":news");
    var shard = ChannelWorkload.inShard(tags.get(1) + ":news of a shard");
    clients.addAll(
        List.of(
            counting.client("counter", this, ClientConnection.RESP2, 5),
            counting.client("counter of Jedis", this, ClientConnection.JEDIS, 1),
            queue.pusher("pusher", this, ClientConnection.RESP3),
            queue.popper("popper 1", this, ClientConnection.RESP2, "BLPOP"),
            queue.popper("popper 2", this, ClientConnection.RESP3, "BRPOP"),
            broadcast.publisher("publisher", this, ClientConnection.RESP2),
            broadcast.subscriber("subscriber", this, ClientConnection.RESP2, "SUBSCRIBE"),
            broadcast.subscriber("pattern subscriber", this, ClientConnection.RESP3, "PSUBSCRIBE"),
            shard.publisher("shard publisher", this, ClientConnection.RESP3),
            shard.subscriber("shard subscriber", this, ClientConnection.RESP3, "SSUBSCRIBE"),
            new PipelineClient(
                "pipeliner 2", this, ClientConnection.RESP2, tags, random.nextLong()),
            new PipelineClient(
                "pipeliner 3", this, ClientConnection.RESP3, tags, random.nextLong()),
            new AllShardsClient("everywhere", this, ClientConnection.RESP2)));
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      clients.add(
          new ReadBackClient("rereader " + i, this, ClientConnection.RESP2, key + ":reread"));
      clients.add(
          new TransactionClient(
              "transactor " + i, this, ClientConnection.RESP2, key + ":t", i % 2 == 1));
    }
  }

  private void appenders(List<String> tags) {
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      clients.add(
          new AppendClient("appender " + i, this, ClientConnection.RESP3, key + ":append", 16));
    }
    clients.add(new AppendClient("Jedis", this, ClientConnection.JEDIS, tags.get(0) + ":jedis", 4));
    clients.add(
        new AppendClient("Lettuce", this, ClientConnection.LETTUCE, tags.get(1) + ":lettuce", 4));
  }

  FaultTimeline weather() {
    return weather;
  }

  EventCounts tally() {
    return tally;
  }

  ClientConnection connect(ClientConnection.Kind kind) {
    return kind.open("127.0.0.1", scene.front().port());
  }

  /**
   * Everybody begins, one after the other, so that a JVM that has compiled nothing yet keeps up;
   * answers when each has done something.
   */
  void begin() {
    for (WorkloadClient client : clients) {
      long since = System.nanoTime();
      load.add(client.name(), client);
      awaitWell(List.of(client), since);
    }
    awaitWell(System.nanoTime());
  }

  /**
   * Answers when each has begun and ended a step, after a time, in which nothing failed; fails when
   * that takes long or somebody has found a fault.
   *
   * @return how long that took, in milliseconds
   */
  long awaitWell(long since) {
    return awaitWell(clients, since);
  }

  private long awaitWell(List<WorkloadClient> whom, long since) {
    Awaitility.await("all clients are served again")
        .atMost(RECOVERY)
        .pollDelay(Duration.ZERO)
        .pollInterval(Duration.ofMillis(5))
        .failFast("a client failed", () -> !isSound())
        .until(() -> whom.stream().allMatch(client -> client.wellAt() - since > 0));
    return (System.nanoTime() - since) / 1_000_000;
  }

  private boolean isSound() {
    load.check();
    return true;
  }

  /** Fails when somebody has found a fault. */
  void check() {
    load.check();
  }

  /** Answers when each has done a step or two. */
  void awaitEverybody() {
    load.awaitEverybody();
  }

  long steps() {
    return load.steps();
  }

  /** Lets everybody end, and compares what is there with what each knows. */
  void end() {
    load.stop();
    try (ClientConnection fresh = connect(ClientConnection.RESP2)) {
      clients.forEach(client -> client.verify(fresh));
    }
  }

  @Override
  public void close() {
    load.close();
    clients.forEach(WorkloadClient::close);
  }
}
