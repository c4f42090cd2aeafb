package io.penstock.server.reads;

import io.penstock.server.it.Load;
import io.penstock.server.it.ProxyFixture;
import io.penstock.server.reads.ReadHistory.Operation;
import io.penstock.server.reads.ReadHistory.Result;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Connections that write and read through Penstock until they are stopped, and a history of all of
 * it. Half of them write a key of their own, all of them read every key. They send several requests
 * at once. An error fails the workload, except while {@link #tolerate errors are expected}.
 */
final class ReadWorkload implements AutoCloseable {

  private static final int CLIENTS = 8;
  private static final int WRITERS = 4;
  private static final int MAX_BATCH = 6;

  private static final String READ_WITH_NODE =
      "return {redis.call('GET', KEYS[1]) or '0',"
          + " string.match(redis.call('INFO', 'server'), 'tcp_port:(%d+)')}";

  /**
   * What a workload does.
   *
   * @param keys one for each writer
   * @param requestsPerWrite how many requests of a writer are reads for one that is a write
   * @param tellsNodes whether half of the reads are scripts, which tell the node that served them
   */
  record Plan(List<String> keys, int requestsPerWrite, boolean tellsNodes) {

    static final Plan DEFAULT = new Plan(List.of("key 0", "key 1", "key 2", "key 3"), 40, false);
  }

  private final Plan plan;
  private final ReadHistory history = new ReadHistory();
  private final List<RespClient> wires = new ArrayList<>();
  private final Load load = new Load();
  private volatile boolean tolerant;

  ReadWorkload(ProxyFixture proxy, long seed) {
    this(proxy, seed, Plan.DEFAULT);
  }

  ReadWorkload(ProxyFixture proxy, long seed, Plan plan) {
    this.plan = plan;
    load.pauseBetweenSteps(Duration.ofMillis(2));
    for (int i = 0; i < CLIENTS; i++) {
      RespClient wire = proxy.connect();
      wires.add(wire);
      wire.call("GET", plan.keys().getFirst()); // clients choose their replicas in this order
      var client = new Client(i, wire, new Random(seed + i));
      load.add("client " + i, client::step);
    }
  }

  /** Waits until all connections together have sent this many more batches. */
  void awaitBatches(long more) {
    load.awaitSteps(more);
  }

  /** Accepts errors while {@code event} happens, and for what was sent meanwhile. */
  void tolerate(Runnable event) {
    tolerant = true;
    event.run();
    load.awaitFullSteps();
    tolerant = false;
  }

  /** Ends the connections. Returns what they did. */
  ReadHistory stop() {
    load.stop();
    return history;
  }

  @Override
  public void close() {
    load.close();
    wires.forEach(RespClient::close);
  }

  private final class Client {
    private final int number;
    private final RespClient wire;
    private final Random random;
    private final ReadHistory.Connection connection;
    private long written;

    Client(int number, RespClient wire, Random random) {
      this.number = number;
      this.wire = wire;
      this.random = random;
      this.connection = history.connection("client " + number);
    }

    private record Sent(String key, long value, boolean asksNode) {
      String request() {
        if (value > 0) {
          return Wire.request("SET", key, Long.toString(value));
        }
        return asksNode
            ? Wire.request("EVAL_RO", READ_WITH_NODE, "1", key)
            : Wire.request("GET", key);
      }
    }

    void step() {
      List<Sent> batch = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(MAX_BATCH); i++) {
        batch.add(next());
      }
      long sentAt = System.nanoTime();
      batch.forEach(sent -> wire.write(sent.request()));
      wire.flush();
      List<String> replies = batch.stream().map(_ -> wire.read()).toList();
      long answeredAt = System.nanoTime();
      for (int i = 0; i < batch.size(); i++) {
        add(batch.get(i), replies.get(i), sentAt, answeredAt);
      }
    }

    /** Mostly reads, so that some come long after the last write. */
    private Sent next() {
      boolean writer = number < WRITERS;
      if (writer && random.nextInt(plan.requestsPerWrite()) == 0) {
        return new Sent(plan.keys().get(number), ++written, false);
      }
      int key = writer && random.nextBoolean() ? number : random.nextInt(WRITERS);
      return new Sent(plan.keys().get(key), 0, plan.tellsNodes() && random.nextBoolean());
    }

    private void add(Sent sent, String reply, long sentAt, long answeredAt) {
      boolean write = sent.value() > 0;
      if (reply.startsWith("-")) {
        if (!tolerant) {
          throw new AssertionError(sent + " was answered " + Wire.shown(reply));
        }
        if (write) {
          boolean unknown = reply.startsWith("-TIMEOUT") || reply.startsWith("-CONNLOST");
          Result result = unknown ? Result.UNKNOWN : Result.REJECTED;
          connection.add(Operation.write(sent.key(), sent.value(), sentAt, answeredAt, result));
        }
      } else if (write) {
        connection.add(Operation.write(sent.key(), sent.value(), sentAt, answeredAt, Result.DONE));
      } else {
        connection.add(readOperation(sent, reply, sentAt, answeredAt));
      }
    }

    private static Operation readOperation(Sent sent, String reply, long sentAt, long answeredAt) {
      if (sent.asksNode()) {
        String[] lines = reply.split("\r\n", -1); // *2, $1, value, $4, port
        return Operation.read(sent.key(), Long.parseLong(lines[2]), sentAt, answeredAt)
            .at(lines[4]);
      }
      boolean missing = reply.equals("$-1\r\n");
      long value = missing ? 0 : Long.parseLong(Wire.content(reply));
      return Operation.read(sent.key(), value, sentAt, answeredAt);
    }
  }
}
