package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.directory.ClientIteration;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Work that would block a loop for too long. */
class LongRequestsTest {

  private static final long SEED = 23;

  private final Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  @Test
  void otherClientsAreServedBetweenSlices() {
    var answered = new AtomicBoolean();
    Peer other = rig.client();
    rig.onLoop(() -> {
      rig.sessions().slices().start(until(answered));
      return true;
    });

    other.send(PING).expect("+PONG\r\n"); // without slices there would be no reply
    answered.set(true);
  }

  @Test
  void allWorkGetsItsTurn() {
    var order = new ArrayList<String>();
    rig.onLoop(() -> {
      rig.sessions().slices().start(times(order, "a", 3));
      rig.sessions().slices().start(times(order, "b", 2));
      return true;
    });

    await().until(() -> rig.onLoop(() -> order.size() == 5));
    assertThat(order).containsExactly("a", "b", "a", "b", "a");
  }

  @Test
  void failedWorkEndsAndOtherWorkContinues() {
    var ended = new ArrayList<String>();
    rig.onLoop(() -> {
      rig.sessions().slices().start(failing(ended));
      rig.sessions().slices().start(times(ended, "other", 1));
      return true;
    });

    await().until(() -> rig.onLoop(() -> ended.size() == 2));
    assertThat(ended).containsExactly("broke", "other");
  }

  @ParameterizedTest
  @ValueSource(ints = {8_190, 8_191, 8_192, 16_500, 30_011})
  void valuesOfManyKeysKeepTheirOrder(int count) {
    List<String> keys = keys(count);
    Peer client = rig.client().send(mget(keys));

    answer(keys, "{b}", rig.accept(0));
    answer(keys, "{a}", rig.accept(1));

    var reply = new StringBuilder("*" + count + "\r\n");
    keys.forEach(key -> reply.append(bulk("v" + key)));
    client.expect(reply.toString());
    assertThat(slices()).isGreaterThanOrEqualTo(count / Slices.STEPS_PER_SLICE);
    assertNothingIsLeft();
  }

  @Test
  void manyKeysOfOneSlotAreSentUnchanged() {
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      keys.add("{a}" + i);
    }
    Peer client = rig.client().send(mget(keys));

    rig.accept(1).expect(mget(keys)).send("*0\r\n");
    client.expect("*0\r\n");
    assertThat(slices()).isEqualTo(2); // slot search
  }

  @Test
  void keysOfManySlotsAreRejectedWhereOneIsRequired() {
    var words = new ArrayList<>(keys(10_000));
    words.addFirst("SINTER");
    Peer client = rig.client().send(Wire.request(words.toArray(String[]::new)));

    client.expect("-CROSSSLOT Keys in request don't hash to the same slot\r\n");
  }

  @Test
  void manyKeysWaitForEarlierReplies() {
    List<String> keys = List.copyOf(keys(9_000));
    Peer client = rig.client().send(get("a") + mget(keys) + set("{a}0", "x"));
    Peer upper = rig.accept(1).expect(get("a"));
    assertThat(slices()).isZero();

    upper.send("$-1\r\n");
    client.expect("$-1\r\n");
    answer(keys, "{b}", rig.accept(0));
    answer(keys, "{a}", upper);
    client.expect(values(keys));
    upper.expect(set("{a}0", "x")).send("+OK\r\n");
    client.expect("+OK\r\n");
  }

  @Test
  void partsUseThePlacementOfTheirSlice() {
    var keys = new ArrayList<String>();
    for (int i = 0; i < 18_000; i++) {
      keys.add((i < 9_000 ? "{a}" : "{b}") + i);
    }
    Peer upper = rig.connected(1);
    Peer client = rig.client();
    afterSlices(5, keys, _ -> {}); // three of slot search, two of parts
    upper.expect(mget(of(keys, "{a}")));

    rig.topology().moved(Rig.SLOT_B, rig.address(1));
    rig.adopt();

    upper.expect(mget(of(keys, "{b}")));
    upper.send(values(of(keys, "{a}")) + values(of(keys, "{b}")));
    client.expect(values(keys));
  }

  /**
   * Runs {@code slices} slices of a client's {@code MGET}, then {@code action}, in one turn of the
   * loop.
   */
  private void afterSlices(int slices, List<String> keys, Consumer<Session> action) {
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().size() == 1));
    Session session = rig.newestSession();
    rig.onLoop(() -> {
      session.onBytes(Unpooled.copiedBuffer(Wire.bytes(mget(keys))));
      for (int i = 0; i < slices; i++) {
        rig.sessions().slices().run();
      }
      action.accept(session);
      return true;
    });
  }

  @Test
  void aDisconnectedClientLeavesNothingBehind() {
    Peer lower = rig.connected(0);
    Peer upper = rig.accept(1);
    for (int slices : new int[] {0, 2, 3, 5}) {
      goMidway(slices, lower, upper);
    }
  }

  /** Everything begun is sent, as to a node that received it at once. */
  private void goMidway(int after, Peer lower, Peer upper) {
    List<String> keys = keys(20_000);
    Peer client = rig.client();
    afterSlices(after, keys, session -> session.closeNow("the test wants it"));
    client.expectClosed();
    if (after >= 3) { // slot search
      lower.expect(mget(of(keys, "{b}"))).send(values(of(keys, "{b}")));
      upper.expect(mget(of(keys, "{a}"))).send(values(of(keys, "{a}")));
    }
    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().isEmpty()));
    assertNothingIsLeft();
  }

  @Test
  void manyKeysWithoutRepliesEndAtTheirDeadline() {
    List<String> keys = keys(10_000);
    Peer client = rig.client().send(mget(keys));
    rig.accept(0).expect(mget(of(keys, "{b}")));
    rig.accept(1).expect(mget(of(keys, "{a}")));

    rig.tick(Duration.ofSeconds(200));
    client.expect("-TIMEOUT ");
    await().until(() -> rig.onLoop(() -> rig.sessions().slots().inUse() == 0));
  }

  @Test
  void localCommandsOfATransactionRunInSlices() {
    int count = 20_000;
    Peer client = rig.client();
    client.send(call("MULTI") + PING.repeat(count) + call("EXEC"));
    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(count));

    client.expect("*" + count + "\r\n" + "+PONG\r\n".repeat(count));
    assertThat(slices()).isGreaterThan(count / Slices.STEPS_PER_SLICE);
    assertNothingIsLeft();
  }

  @Test
  void queueingCommandsYieldsToOtherClients() {
    int count = 4 * Slices.STEPS_PER_SLICE / TurnBudget.LOCAL_REPLY;
    Peer client = rig.client();
    client.send(call("MULTI") + PING.repeat(count) + call("DISCARD"));

    client.expect("+OK\r\n" + "+QUEUED\r\n".repeat(count) + "+OK\r\n");
    assertThat(slices()).isEqualTo(1);
  }

  @Test
  void clientsAreListedInSlices() {
    var clients = new ArrayList<Peer>();
    for (int i = 0; i < 2 * ClientIteration.CLIENTS; i++) {
      clients.add(rig.client());
    }
    Peer last = rig.client();
    last.send(PING).expect("+PONG\r\n");
    long before = slices();

    last.send(call("CLIENT LIST") + PING);
    String lines = last.readBulk();
    assertThat(lines.lines()).hasSize(clients.size() + 1);
    last.expect("+PONG\r\n");
    assertThat(slices() - before).isEqualTo(2);

    last.send(call("CLIENT KILL TYPE normal"));
    last.expect(":" + clients.size() + "\r\n");
    clients.getLast().expectClosed();
  }

  @Test
  void aPipelineOfLongLocalRepliesYields() {
    int count = 200;
    Peer client = rig.client();
    client.send(call("COMMAND LIST FILTERBY PATTERN nosuch").repeat(count) + PING);

    client.expect("*0\r\n".repeat(count) + "+PONG\r\n");
    assertThat(slices()).isPositive();
  }

  private long slices() {
    return rig.onLoop(() -> rig.sessions().slices().slicesRun());
  }

  private void assertNothingIsLeft() {
    await().until(() -> rig.onLoop(() -> rig.sessions().slots().inUse() == 0));
    await()
        .until(() ->
            rig.onLoop(() -> {
              rig.sessions().sessions().forEach(session -> session.account().check());
              return rig.sessions().memory().all().used() == 0;
            }));
  }

  private static List<String> keys(int count) {
    var random = new Random(SEED + count);
    var keys = new ArrayList<>(List.of("{a}0", "{b}0"));
    while (keys.size() < count) {
      keys.add((random.nextInt(3) == 0 ? "{a}" : "{b}") + "x".repeat(random.nextInt(20)));
    }
    return keys;
  }

  private static List<String> of(List<String> keys, String tag) {
    return keys.stream().filter(key -> key.startsWith(tag)).toList();
  }

  private static void answer(List<String> keys, String tag, Peer node) {
    node.expect(mget(of(keys, tag))).send(values(of(keys, tag)));
  }

  private static String mget(List<String> keys) {
    var request = new StringBuilder("*" + (keys.size() + 1) + "\r\n$4\r\nMGET\r\n");
    keys.forEach(key -> request.append(bulk(key)));
    return request.toString();
  }

  private static String values(List<String> keys) {
    var reply = new StringBuilder("*" + keys.size() + "\r\n");
    keys.forEach(key -> reply.append(bulk("v" + key)));
    return reply.toString();
  }

  private static String bulk(String text) {
    return "$" + text.length() + "\r\n" + text + "\r\n";
  }

  private static Sliced until(AtomicBoolean over) {
    return new Sliced() {
      @Override
      public boolean step() {
        return !over.get();
      }

      @Override
      public void onFailure(Throwable cause) {
        over.set(true);
      }
    };
  }

  private static Sliced times(List<String> into, String name, int times) {
    return new Sliced() {
      private int left = times;

      @Override
      public boolean step() {
        into.add(name);
        return --left > 0;
      }

      @Override
      public void onFailure(Throwable cause) {
        into.add("broke");
      }
    };
  }

  private static Sliced failing(List<String> into) {
    return new Sliced() {
      @Override
      public boolean step() {
        throw new IllegalStateException("as a test wants it");
      }

      @Override
      public void onFailure(Throwable cause) {
        into.add("broke");
      }
    };
  }
}
