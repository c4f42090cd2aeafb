package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.QueueLimits;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The memory counted for a client's objects, compared with their size on the heap. */
class MemoryCountTest {

  private static final int MANY = 10_000;

  private static WeakReference<@Nullable Rig> previous = new WeakReference<>(null);

  @SuppressWarnings("NullAway.Init")
  private Rig rig;

  /**
   * Waits until the test before has released everything, so that it is not collected during this
   * one.
   */
  @BeforeEach
  void start() {
    await()
        .until(() -> {
          System.gc();
          return previous.refersTo(null);
        });
    rig = new RigOptions().single().start();
    rig.connected(0); // measuring takes longer than a connection waits for its first answer
  }

  @AfterEach
  void close() {
    rig.close();
    previous = new WeakReference<>(rig);
  }

  /**
   * Returns the bytes of the heap in use, without garbage. The serial collector does not move all
   * objects, except in every fourth collection. Two of eight collections do, and the second one
   * collects what the first one had to examine.
   */
  private static long heap() {
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 8; i++) {
      System.gc();
      least = Math.min(least, ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }
    return least;
  }

  private long counted(Session session) {
    return rig.<Long>onLoop(() -> session.account().keptHeapBytes());
  }

  /** Asserts that the counted bytes are about the measured ones. */
  private static void isAbout(long counted, long measured) {
    assertThat(counted).isBetween(measured * 8 / 10, measured * 2);
  }

  private static List<String> names(String prefix) {
    List<String> names = new ArrayList<>(MANY);
    for (int i = 0; i < MANY; i++) {
      names.add(prefix + i);
    }
    return names;
  }

  /** The number of arguments of the next request. */
  private static int arguments(Peer feed) {
    feed.expect("*");
    var count = new StringBuilder();
    for (String c = feed.read(1); !c.equals("\r"); c = feed.read(1)) {
      count.append(c);
    }
    feed.expect("\n");
    return Integer.parseInt(count.toString());
  }

  /** Confirms the subscribe commands that a node receives, one after the other. */
  private static void confirm(Peer feed, String word, List<String> names) {
    int confirmed = 0;
    while (confirmed < names.size()) {
      List<String> some = order(feed, word, names, confirmed);
      var pushes = new StringBuilder();
      for (String name : some) {
        pushes.append(">3\r\n").append(Wire.bulk(word)).append(Wire.bulk(name)).append(":1\r\n");
      }
      feed.send(pushes.toString());
      confirmed += some.size();
    }
  }

  /**
   * Waits for the node's next subscribe command, and answers each {@code PING} before it. Returns
   * its names, which start at {@code from}.
   */
  private static List<String> order(Peer feed, String word, List<String> names, int from) {
    int arguments = arguments(feed);
    while (arguments == 1) {
      feed.expect("$4\r\nPING\r\n").send("+PONG\r\n");
      arguments = arguments(feed);
    }
    List<String> some = names.subList(from, from + arguments - 1);
    var asked = new StringBuilder(Wire.bulk(word));
    some.forEach(name -> asked.append(Wire.bulk(name)));
    feed.expect(asked.toString());
    return some;
  }

  private static String confirmations(String word, List<String> names, int first, int step) {
    var all = new StringBuilder();
    int count = first;
    for (String name : names) {
      all.append("*3\r\n").append(Wire.bulk(word)).append(Wire.bulk(name));
      all.append(':').append(count).append("\r\n");
      count += step;
    }
    return all.toString();
  }

  @Test
  void subscribedNamesAreCountedWithTheirSize() {
    List<String> names = names("news.");
    Peer client = rig.client().send(call("PING")).expect("+PONG\r\n");
    Session session = rig.newestSession();
    String request = call("SUBSCRIBE " + String.join(" ", names));
    String answer = confirmations("subscribe", names, 1, 1);
    long before = heap();

    client.send(request);
    Peer feed = rig.acceptSubscriberConnection(0);
    confirm(feed, "subscribe", names);
    client.expect(answer);

    isAbout(counted(session), heap() - before);
  }

  @Test
  void unconfirmedNamesAreCountedWithTheirSize() {
    Peer client = rig.client().send(call("PING")).expect("+PONG\r\n");
    Session session = rig.newestSession();
    List<String> names = names("news.");
    String request = call("SUBSCRIBE " + String.join(" ", names));
    long before = heap();

    client.send(request);
    Peer feed = rig.acceptSubscriberConnection(0);
    int asked = 0;
    while (asked < MANY) {
      asked += order(feed, "subscribe", names, asked).size();
    }

    isAbout(counted(session), heap() - before);
  }

  @Test
  void endedSubscriptionsCountNothing() {
    List<String> names = names("news.");
    Peer client = rig.client().send(call("PING")).expect("+PONG\r\n");
    Session session = rig.newestSession();
    long before = counted(session);
    client.send(call("SUBSCRIBE " + String.join(" ", names)));
    Peer feed = rig.acceptSubscriberConnection(0);
    confirm(feed, "subscribe", names);
    client.expect(confirmations("subscribe", names, 1, 1));

    client.send(call("UNSUBSCRIBE " + String.join(" ", names)));
    confirm(feed, "unsubscribe", names);
    client.expect(confirmations("unsubscribe", names, MANY - 1, -1));

    assertThat(counted(session)).isEqualTo(before);
  }

  @Test
  void localCommandsOfATransactionAreCountedWithTheirSize() {
    Peer client = rig.client().send(call("MULTI")).expect("+OK\r\n");
    Session session = rig.newestSession();
    String some = call("PING").repeat(1_000);
    String queued = "+QUEUED\r\n".repeat(1_000);
    long before = heap();
    long counted = counted(session);

    for (int i = 0; i < MANY / 1_000; i++) {
      client.send(some).expect(queued);
    }

    isAbout(counted(session) - counted, heap() - before);
  }

  @Test
  void unansweredRequestsAreCountedWithTheirSize() {
    rig.close();
    rig = new RigOptions().single().bounds(new QueueLimits(MANY, 1 << 26)).start();
    rig.connected(0);
    String some = call("GET b").repeat(200);
    List<Session> sessions = new ArrayList<>();
    long before = heap();

    for (int i = 0; i < 50; i++) {
      rig.clientOfSmallReplies().send(some);
      Session session = rig.newestSession();
      await().until(() -> rig.onLoop(() -> session.replies().size()) == 200);
      sessions.add(session);
    }

    long counted = sessions.stream().mapToLong(this::counted).sum();
    isAbout(counted, heap() - before);
  }

  @Test
  void argumentsOfAnIncompleteRequestAreCounted() {
    Peer client = rig.client().send(call("PING")).expect("+PONG\r\n");
    Session session = rig.newestSession();
    String half = "*1000000\r\n" + "$1\r\nx\r\n".repeat(200_000);

    client.send(half);
    await().until(() -> rig.onLoop(() -> session.input().size()) >= half.length());

    assertThat(counted(session)).isGreaterThanOrEqualTo(200_000L * 2 * Integer.BYTES);
  }
}
