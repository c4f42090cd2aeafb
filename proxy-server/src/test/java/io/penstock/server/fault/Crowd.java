package io.penstock.server.fault;

import io.penstock.server.it.Load;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.awaitility.Awaitility;

/** Everybody who works through Penstock while things go wrong. */
final class Crowd implements AutoCloseable {

  /** From when nothing is wrong any more until everybody works again. */
  private static final Duration RECOVERY = Duration.ofSeconds(20);

  private final Scene scene;
  private final Weather weather;
  private final Tally tally = new Tally();
  private final List<Client> clients = new ArrayList<>();
  private final Load load = new Load();

  /**
   * Nobody works yet.
   *
   * @param tags hash tags, of each shard one at least
   */
  Crowd(Scene scene, Weather weather, List<String> tags, long seed) {
    this.scene = scene;
    this.weather = weather;
    var random = new Random(seed);
    try (Line line = connect(Line.RESP2)) {
      line.exchange(List.<String[]>of(new String[] {"FLUSHALL"})); // what others left
      Pipeliner.prepare(line, tags);
    }
    appenders(tags);
    var counting = new Counting(tags.get(1) + ":count");
    var queue = new WorkQueue(tags.get(2) + ":queue");
    var broadcast = Broadcast.everywhere(tags.get(0) + ":news");
    var shard = Broadcast.inShard(tags.get(1) + ":news of a shard");
    clients.addAll(
        List.of(
            counting.client("counter", this, Line.RESP2, 5),
            counting.client("counter of Jedis", this, Line.JEDIS, 1),
            queue.pusher("pusher", this, Line.RESP3),
            queue.popper("popper 1", this, Line.RESP2, "BLPOP"),
            queue.popper("popper 2", this, Line.RESP3, "BRPOP"),
            broadcast.publisher("publisher", this, Line.RESP2),
            broadcast.subscriber("subscriber", this, Line.RESP2, "SUBSCRIBE"),
            broadcast.subscriber("pattern subscriber", this, Line.RESP3, "PSUBSCRIBE"),
            shard.publisher("shard publisher", this, Line.RESP3),
            shard.subscriber("shard subscriber", this, Line.RESP3, "SSUBSCRIBE"),
            new Pipeliner("pipeliner 2", this, Line.RESP2, tags, random.nextLong()),
            new Pipeliner("pipeliner 3", this, Line.RESP3, tags, random.nextLong()),
            new Everywhere("everywhere", this, Line.RESP2)));
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      clients.add(new Rereader("rereader " + i, this, Line.RESP2, key + ":reread"));
      clients.add(new Transactor("transactor " + i, this, Line.RESP2, key + ":t", i % 2 == 1));
    }
  }

  private void appenders(List<String> tags) {
    for (int i = 0; i < tags.size(); i++) {
      String key = tags.get(i) + ":" + i;
      clients.add(new Appender("appender " + i, this, Line.RESP3, key + ":append", 16));
    }
    clients.add(new Appender("Jedis", this, Line.JEDIS, tags.get(0) + ":jedis", 4));
    clients.add(new Appender("Lettuce", this, Line.LETTUCE, tags.get(1) + ":lettuce", 4));
  }

  Weather weather() {
    return weather;
  }

  Tally tally() {
    return tally;
  }

  Line connect(Line.Kind kind) {
    return kind.open("127.0.0.1", scene.front().port());
  }

  /**
   * Everybody begins, one after the other, so that a JVM that has compiled nothing yet keeps up;
   * answers when each has done something.
   */
  void begin() {
    for (Client client : clients) {
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

  private long awaitWell(List<Client> whom, long since) {
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
    try (Line fresh = connect(Line.RESP2)) {
      clients.forEach(client -> client.verify(fresh));
    }
  }

  @Override
  public void close() {
    load.close();
    clients.forEach(Client::close);
  }
}
