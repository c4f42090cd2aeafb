package io.penstock.server.reads;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.reads.ReadChecker.Violation;
import io.penstock.server.reads.ReadHistory.Connection;
import io.penstock.server.reads.ReadHistory.Operation;
import io.penstock.server.reads.ReadHistory.Result;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The checker accepts a correct policy and finds broken ones. */
class ReadCheckerTest {

  private static final long WINDOW = 1_000;

  private final ReadHistory history = new ReadHistory();

  @Test
  void acceptsStickyReadsAndOwnWritesFromTheMaster() {
    assertThat(simulated(new Sticky())).isEmpty();
  }

  @Test
  void findsARoundRobinOverLaggingReplicas() {
    assertThat(simulated(new RoundRobin())).containsOnlyKeys(Violation.WENT_BACK);
  }

  @Test
  void findsReadsFromAReplicaRightAfterAWrite() {
    assertThat(simulated(new WithoutOwnWrites()))
        .containsKey(Violation.MISSED_OWN_WRITE)
        .doesNotContainKeys(Violation.OVERTAKEN, Violation.INVENTED);
  }

  @Test
  void findsAWindowThatIsTooShort() {
    assertThat(simulated(new HalfTheWindow())).containsKey(Violation.MISSED_OWN_WRITE);
  }

  @Test
  void findsAReadThatWasOvertakenByAWrite() {
    Connection connection = history.connection("one");
    write(connection, 1, 0, 10);
    read(connection, 2, 20, 40);
    write(connection, 2, 20, 40);

    assertThat(check()).containsOnlyKeys(Violation.OVERTAKEN);
  }

  @Test
  void findsValuesThatNobodyWroteOrNotYet() {
    Connection writer = history.connection("writer");
    Connection reader = history.connection("reader");
    write(writer, 1, 100, 110);
    writer.add(Operation.write("key", 2, 120, 130, Result.REJECTED));
    read(reader, 1, 0, 90);
    read(reader, 2, 200, 210);
    read(reader, 7, 220, 230);

    assertThat(check().get(Violation.INVENTED)).hasSize(3);
  }

  @Test
  void acceptsAWriteWithAnUnknownOutcomeEitherWay() {
    Connection connection = history.connection("one");
    write(connection, 1, 0, 10);
    connection.add(Operation.write("key", 2, 20, 30, Result.UNKNOWN));
    read(connection, 1, 40, 50);
    read(connection, 2, 60, 70);

    assertThat(check()).isEmpty();
  }

  @Test
  void acceptsAnOlderValueOnceTheWindowIsOver() {
    Connection connection = history.connection("one");
    write(connection, 1, 0, 10);
    read(connection, 1, 20, 30); // from the master
    read(connection, 0, WINDOW + 20, WINDOW + 30);

    assertThat(check()).isEmpty();
  }

  @Test
  void anOlderValueIsExcusedByAnotherReplicaOrALostWrite() {
    Connection writer = history.connection("writer");
    Connection reader = history.connection("reader");
    write(writer, 1, 0, 10);
    read(reader, 1, 2_000, 2_010);
    read(reader, 0, 2_020, 2_030);

    assertThat(check()).containsOnlyKeys(Violation.WENT_BACK);
    assertThat(checker().replicaChanges((_, _) -> true).check(history)).isEmpty();
    assertThat(checker().lostWrites((_, _) -> true).check(history)).isEmpty();
  }

  @Test
  void aChangeOfReplicaExcusesNoOlderValueOfTheSameNode() {
    Connection writer = history.connection("writer");
    Connection reader = history.connection("reader");
    write(writer, 1, 0, 10);
    write(writer, 2, 20, 30);
    readAt(reader, "a", 2, 2_000);
    readAt(reader, "b", 1, 2_020);
    assertThat(checker().replicaChanges((_, _) -> true).check(history)).isEmpty();

    readAt(reader, "b", 0, 2_040);
    readAt(reader, "a", 1, 2_060);

    assertThat(checker().replicaChanges((_, _) -> true).check(history).get(Violation.WENT_BACK))
        .hasSize(3); // the last one also went back from what the connection had read last
    assertThat(checker().lostWrites((_, _) -> true).check(history)).isEmpty();
  }

  private static void readAt(Connection connection, String node, long value, long at) {
    connection.add(Operation.read("key", value, at, at + 10).at(node));
  }

  private static void write(Connection connection, long value, long sentAt, long answeredAt) {
    connection.add(Operation.write("key", value, sentAt, answeredAt, Result.DONE));
  }

  private static void read(Connection connection, long value, long sentAt, long answeredAt) {
    connection.add(Operation.read("key", value, sentAt, answeredAt));
  }

  private static ReadChecker checker() {
    return new ReadChecker(Duration.ofNanos(WINDOW), _ -> "");
  }

  private Map<Violation, List<String>> check() {
    return checker().check(history);
  }

  /** Eight clients of a master and two replicas that lag, each by another time that changes. */
  private Map<Violation, List<String>> simulated(Policy policy) {
    var random = new Random(4711);
    var store = new Store(random);
    List<Connection> connections = new ArrayList<>();
    long[] values = new long[8];
    long[] wroteAt = new long[8];
    for (int i = 0; i < 8; i++) {
      connections.add(history.connection("client " + i));
      wroteAt[i] = Long.MIN_VALUE / 2;
    }
    for (long now = 0; now < 200_000; now += 10) {
      int client = random.nextInt(8);
      store.advance(now);
      if (client < 4 && random.nextInt(10) == 0) {
        String key = "key " + client;
        store.write(now, key, ++values[client]);
        wroteAt[client] = now + 5;
        connections
            .get(client)
            .add(Operation.write(key, values[client], now, now + 5, Result.DONE));
      } else {
        String key = "key " + (client < 4 && random.nextBoolean() ? client : random.nextInt(4));
        int node = policy.node(client, now - wroteAt[client]);
        connections.get(client).add(Operation.read(key, store.read(node, key), now, now + 5));
      }
    }
    return check();
  }

  /** Chooses 0, the master, or a replica, from the client and the time since its last write. */
  private interface Policy {
    int node(int client, long sinceWrite);
  }

  private static final class Sticky implements Policy {
    @Override
    public int node(int client, long sinceWrite) {
      return sinceWrite <= WINDOW ? 0 : 1 + client % 2;
    }
  }

  private static final class RoundRobin implements Policy {
    private int next;

    @Override
    public int node(int client, long sinceWrite) {
      return sinceWrite <= WINDOW ? 0 : 1 + next++ % 2;
    }
  }

  private static final class WithoutOwnWrites implements Policy {
    @Override
    public int node(int client, long sinceWrite) {
      return 1 + client % 2;
    }
  }

  private static final class HalfTheWindow implements Policy {
    @Override
    public int node(int client, long sinceWrite) {
      return sinceWrite <= WINDOW / 2 ? 0 : 1 + client % 2;
    }
  }

  /** A master, and two replicas that get its writes late but in order. */
  private static final class Store {
    private record Change(long at, String key, long value) {}

    private final Random random;
    private final List<Map<String, Long>> nodes =
        List.of(new HashMap<>(), new HashMap<>(), new HashMap<>());
    private final List<Deque<Change>> onTheWay = List.of(new ArrayDeque<>(), new ArrayDeque<>());
    private final long[] lag = {50, 800};

    Store(Random random) {
      this.random = random;
    }

    void write(long now, String key, long value) {
      nodes.getFirst().put(key, value);
      onTheWay.forEach(changes -> changes.add(new Change(now, key, value)));
    }

    void advance(long now) {
      for (int i : Set.of(0, 1)) {
        if (random.nextInt(200) == 0) {
          lag[i] = random.nextInt(3_000);
        }
        Deque<Change> changes = onTheWay.get(i);
        while (!changes.isEmpty() && now - changes.peek().at() >= lag[i]) {
          Change change = changes.remove();
          nodes.get(i + 1).put(change.key(), change.value());
        }
      }
    }

    long read(int node, String key) {
      return nodes.get(node).getOrDefault(key, 0L);
    }
  }
}
