package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.cluster.Slot;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.wire.LogLines;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ClientLimitsTest {

  private static final String GET = Wire.request("GET", "b");
  private static final int MEGABYTE = 1 << 20;
  private static final String LARGE = Wire.bulk("x".repeat(MEGABYTE));

  private @Nullable Rig rig;

  @AfterEach
  void close() {
    if (rig != null) {
      rig.close();
    }
  }

  private Rig with(ClientLimits limits) {
    Rig started = new RigOptions().clientLimits(limits).start();
    rig = started;
    return started;
  }

  private static long closed(Rig rig, CloseReason reason) {
    Map<CloseReason, Long> all = rig.onLoop(() -> rig.sessions().pressure().closed());
    return all.getOrDefault(reason, 0L);
  }

  private static long memory(Rig rig) {
    rig.tick(Duration.ofSeconds(2));
    return used(rig);
  }

  /** The memory as last counted. */
  private static long used(Rig rig) {
    return rig.onLoop(() -> rig.sessions().pressure().memory());
  }

  /**
   * Returns a client that has requested {@code values} large values, which the node has sent, and
   * reads none of them.
   */
  private static Peer unreading(Rig rig, Peer node, int values) {
    Peer client = rig.clientOfSmallReplies().send(GET.repeat(values));
    node.expect(GET.repeat(values));
    for (int i = 0; i < values; i++) {
      node.send(LARGE);
    }
    return client;
  }

  /** The proxy may close the connection before it has read everything. */
  private static void sendUntilClosed(Peer client, String bytes) {
    try {
      client.send(bytes);
    } catch (UncheckedIOException e) {
      assertThat(e).hasMessageMatching(".*(Broken pipe|Connection reset).*");
    }
  }

  private static long unwritten(Rig rig, Session session) {
    return rig.<Long>onLoop(() -> session.output().unwrittenBytes());
  }

  @Test
  void aProtocolErrorClosesTheClientAndIsLogged() {
    Rig on = with(ClientLimits.DEFAULTS);

    try (LogLines log = LogLines.of("client.ClientLog")) {
      on.client()
          .send("*1\r\n$-5\r\n")
          .expect("-ERR Protocol error: invalid bulk length\r\n")
          .expectClosed();
      on.client().send("POST / HTTP/1.1\r\n").expectClosed();

      assertThat(closed(on, CloseReason.PROTOCOL)).isEqualTo(2);
      assertThat(log.get())
          .singleElement() // the second one is within ten seconds
          .asString()
          .contains(" is closed: protocol error: invalid bulk length;");
    }
  }

  /** Clients that do not read their replies. */
  @Nested
  class UnreadReplies {

    @Test
    void theHardOutputLimitClosesAClientAtOnce() {
      Rig on = with(Limits.normal(new OutputLimit(12 * MEGABYTE, 0, Duration.ZERO)));
      Peer node = on.connected(0);
      Peer other = on.client();

      unreading(on, node, 32);

      await().until(() -> closed(on, CloseReason.OUTPUT_HARD_LIMIT) == 1);
      other.send(GET);
      node.expect(GET).send("$1\r\nx\r\n");
      other.expect("$1\r\nx\r\n");
      await().until(() -> memory(on) == 0);
    }

    @Test
    void aClientThatReadsItsRepliesIsNotClosed() {
      Rig on = with(Limits.normal(new OutputLimit(MEGABYTE, 0, Duration.ZERO)));
      Peer node = on.connected(0);
      Peer client = on.client();

      for (int i = 0; i < 16; i++) {
        client.send(GET);
        node.expect(GET).send(Wire.bulk("x".repeat(100_000)));
        client.expect(Wire.bulk("x".repeat(100_000)));
      }

      assertThat(closed(on, CloseReason.OUTPUT_HARD_LIMIT)).isZero();
    }

    @Test
    void aReplyWaitingForAnEarlierOneCountsAsUnread() {
      Rig on = with(Limits.normal(new OutputLimit(4 * MEGABYTE, 0, Duration.ZERO)));
      Peer lower = on.connected(0);
      Peer upper = on.accept(1);
      String first = Wire.request("GET", "a");

      on.clientOfSmallReplies().send(first + GET.repeat(8));
      upper.expect(first);
      lower.expect(GET.repeat(8));
      for (int i = 0; i < 8; i++) {
        lower.send(LARGE);
      }

      await().until(() -> closed(on, CloseReason.OUTPUT_HARD_LIMIT) == 1);
    }

    @Test
    void theSoftLimitClosesAClientAfterItsTime() {
      Rig on = with(Limits.normal(new OutputLimit(0, 8 * MEGABYTE, Duration.ofSeconds(30))));
      Peer node = on.connected(0);
      unreading(on, node, 24);
      await().until(() -> memory(on) > 8 * MEGABYTE);
      on.tick(Duration.ofSeconds(20));
      assertThat(closed(on, CloseReason.OUTPUT_SOFT_LIMIT)).isZero();

      on.tick(Duration.ofSeconds(31));

      assertThat(closed(on, CloseReason.OUTPUT_SOFT_LIMIT)).isEqualTo(1);
    }

    @Test
    void smallRepliesBehindLargeOnesShareABuffer() {
      Rig on = with(ClientLimits.DEFAULTS);
      Peer node = on.connected(0);
      Peer client = on.clientOfSmallReplies().send(GET.repeat(124));
      node.expect(GET.repeat(124));
      Session session = on.newestSession();
      for (int i = 0; i < 24; i++) {
        node.send(LARGE);
      }
      for (int i = 100; i > 0; i--) {
        int left = i - 1;
        node.send("$1\r\nx\r\n");
        await()
            .pollInterval(Duration.ofMillis(1))
            .until(() -> on.<Integer>onLoop(() -> session.replies().size()) == left);
      }

      assertThat(unwritten(on, session)).isPositive();
      assertThat(on.<Long>onLoop(() -> capacityOfSmall(session))).isLessThan(64 * 1024);
      for (int i = 0; i < 24; i++) {
        client.expect(LARGE);
      }
      client.expect("$1\r\nx\r\n".repeat(100));
    }

    private static long capacityOfSmall(Session session) throws Exception {
      var sum = new AtomicLong();
      ChannelOutboundBuffer waiting = session.channel().unsafe().outboundBuffer();
      if (waiting != null) {
        waiting.forEachFlushedMessage(message -> {
          ByteBuf bytes = (ByteBuf) message;
          sum.addAndGet(bytes.readableBytes() < 64 ? bytes.capacity() : 0);
          return true;
        });
      }
      return sum.get();
    }
  }

  /** What counts as memory of a client, and which client is evicted. */
  @Nested
  class Memory {

    @Test
    void theLargestClientIsEvictedAboveTheMemoryLimit() {
      Rig on = with(Limits.memory(40 * MEGABYTE));
      Peer node = on.connected(0);
      Peer small = unreading(on, node, 12);
      unreading(on, node, 48);
      unreading(on, node, 48);

      await().until(() -> closed(on, CloseReason.MEMORY) > 0);
      assertThat(memory(on)).isLessThanOrEqualTo(40 * MEGABYTE);
      for (int i = 0; i < 12; i++) {
        small.expect(LARGE);
      }
      await().until(() -> memory(on) <= 40 * MEGABYTE);
    }

    @Test
    void aNoEvictClientIsNotEvicted() {
      Rig on = with(Limits.memory(20 * MEGABYTE));
      Peer node = on.connected(0);
      Peer spared = on.clientOfSmallReplies().send("CLIENT NO-EVICT ON\r\n").expect("+OK\r\n");
      spared.send(GET.repeat(48));
      node.expect(GET.repeat(48));
      for (int i = 0; i < 48; i++) {
        node.send(LARGE);
      }
      on.tick(Duration.ofSeconds(2));
      assertThat(closed(on, CloseReason.MEMORY)).isZero();

      unreading(on, node, 24);

      await().until(() -> closed(on, CloseReason.MEMORY) == 1);
      for (int i = 0; i < 48; i++) {
        spared.expect(LARGE);
      }
    }

    @Test
    void incompleteRequestsCount() {
      Rig on = with(Limits.memory(4 * MEGABYTE));
      String header = "*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$100000000\r\n";
      Peer small = on.client().send(header + "x".repeat(MEGABYTE / 4));

      sendUntilClosed(on.client(), header + "x".repeat(6 * MEGABYTE));

      await().until(() -> closed(on, CloseReason.MEMORY) == 1);
      assertThat(memory(on)).isBetween(MEGABYTE / 4L, (long) MEGABYTE);
      small.send("x"); // it is still connected
    }

    @Test
    void queuedTransactionsCount() {
      Rig on = with(Limits.memory(2 * MEGABYTE));
      Peer client = on.client().send("MULTI\r\n").expect("+OK\r\n");
      String set = Wire.request("SET", "b", "x".repeat(100_000));
      for (int i = 0; i < 8; i++) {
        client.send(set).expect("+QUEUED\r\n");
      }
      assertThat(closed(on, CloseReason.MEMORY)).isZero();

      sendUntilClosed(client, set.repeat(20));

      await().until(() -> closed(on, CloseReason.MEMORY) == 1);
    }

    @Test
    void localRepliesInATransactionCount() {
      int commands = 20_000;
      Rig on = with(Limits.memory(4 * MEGABYTE));
      Peer client = on.client().send("MULTI\r\n").expect("+OK\r\n");
      client.send("PING\r\n".repeat(commands)).expect("+QUEUED\r\n".repeat(commands));
      assertThat(closed(on, CloseReason.MEMORY)).isZero();

      client.send("EXEC\r\n");

      await().until(() -> closed(on, CloseReason.MEMORY) == 1);
      client.expectClosed();
      await().until(() -> memory(on) == 0);
      await().until(() -> on.onLoop(() -> on.sessions().slots().inUse() == 0));
      assertThat(on.<Long>onLoop(() -> on.sessions().memory().heap().closing())).isZero();
    }

    @Test
    void requestsInFlightCount() {
      Rig on = with(Limits.memory(8 * MEGABYTE));
      Peer node = on.connected(0);
      String set = Wire.request("SET", "b", "x".repeat(3 * MEGABYTE));
      Peer client = on.client().send(set);
      node.expect(set);
      assertThat(memory(on)).isBetween(3L * MEGABYTE, 8L * MEGABYTE);

      node.send("+OK\r\n");

      client.expect("+OK\r\n");
      await().until(() -> memory(on) == 0);
    }

    @Test
    void anAnnouncedLengthTakesNoMemory() {
      Rig on = with(ClientLimits.DEFAULTS);
      for (int i = 0; i < 100; i++) {
        on.client().send("*3\r\n$3\r\nSET\r\n$1\r\nb\r\n$500000000\r\n");
      }

      await().until(() -> memory(on) > 0);
      assertThat(memory(on)).isLessThan(100 * 2_048);
    }

    @Test
    void subscribedNamesCount() {
      Rig on = with(ClientLimits.DEFAULTS);
      String channel = "b".repeat(10_000);
      Peer client = on.client().send(Wire.request("SUBSCRIBE", channel));
      on.acceptSubscriberConnection(0)
          .expect(Wire.request("subscribe", channel))
          .send(">3\r\n$9\r\nsubscribe\r\n" + Wire.bulk(channel) + ":1\r\n");
      client.expect("*3\r\n$9\r\nsubscribe\r\n" + Wire.bulk(channel) + ":1\r\n");

      assertThat(memory(on)).isGreaterThanOrEqualTo(10_000);

      client.send("RESET\r\n").expect("+RESET\r\n");
      on.tick(Duration.ofSeconds(4)); // a second check, after the first one
      assertThat(on.<Long>onLoop(() -> on.sessions().pressure().memory())).isZero();
    }

    @Test
    void partsOfASplitRequestCount() {
      Rig on = with(ClientLimits.DEFAULTS);
      String[] request = new String[101];
      request[0] = "DEL";
      int[] parts = new int[2];
      Set<Integer> slots = new HashSet<>();
      for (int i = 1; i < request.length; i++) {
        request[i] = "{" + i + "}" + "x".repeat(100);
        int slot = Slot.of(Wire.bytes("" + i));
        parts[slot / 8_192] += slots.add(slot) ? 1 : 0;
      }
      Peer client = on.client().send(Wire.request(request));
      Peer lower = on.accept(0);
      Peer upper = on.accept(1);
      await().until(() -> on.sessions().slots().inUse() == 1);
      assertThat(memory(on)).isGreaterThanOrEqualTo(10_000);

      lower.send(":1\r\n".repeat(parts[0]));
      upper.send(":1\r\n".repeat(parts[1]));

      client.expect(":" + slots.size() + "\r\n");
      on.tick(Duration.ofSeconds(4)); // a second check, after the first one
      assertThat(used(on)).isZero();
    }

    @Test
    void namesOfAPendingSubscribeCount() {
      Rig on = with(ClientLimits.DEFAULTS);
      String channel = "b".repeat(10_000);
      Peer client = on.client().send(Wire.request("SUBSCRIBE", channel));
      Peer feed = on.acceptSubscriberConnection(0).expect(Wire.request("subscribe", channel));
      assertThat(used(on)).isBetween(10_000L, 25_000L);

      feed.send("-NOPERM no\r\n");

      client.expect("-NOPERM no\r\n");
      assertThat(memory(on)).isZero();
    }

    @Test
    void aSubscribeWithTooManyNamesClosesTheClient() {
      Rig on = with(Limits.memory(2 * MEGABYTE));

      var names = new StringBuilder("SUBSCRIBE");
      for (int i = 0; i < 10_000; i++) {
        names.append(" x").append(i);
      }
      on.client().send(Requests.call(names.toString())).expectClosed();

      assertThat(closed(on, CloseReason.MEMORY)).isEqualTo(1);
    }

    @Test
    void clientAndLibraryNamesCountAtOnce() {
      Rig on = with(ClientLimits.DEFAULTS);
      String name = "n".repeat(10_000);
      Peer client = on.client().send(Wire.request("CLIENT", "SETNAME", name)).expect("+OK\r\n");
      assertThat(used(on)).isEqualTo(10_000);
      client.send(Wire.request("CLIENT", "SETINFO", "LIB-NAME", name)).expect("+OK\r\n");
      client.send(Wire.request("CLIENT", "SETINFO", "LIB-VER", name)).expect("+OK\r\n");
      assertThat(used(on)).isEqualTo(30_000);

      client.send(Wire.request("HELLO", "2", "SETNAME", name + name)).expect("*14\r\n");

      assertThat(used(on)).isEqualTo(40_000);
    }
  }

  /** The idle timeout. */
  @Nested
  class IdleClients {

    @Test
    void idleClientsAreNotClosedByDefault() {
      Rig on = with(ClientLimits.DEFAULTS);
      Peer client = on.client().send("PING\r\n").expect("+PONG\r\n");

      on.tick(Duration.ofDays(30));

      client.send("PING\r\n").expect("+PONG\r\n");
    }

    @Test
    void anIdleClientIsClosed() {
      Rig on = with(Limits.timeouts(Limits.idle(Duration.ofSeconds(10))));
      Peer client = on.client().send("PING\r\n").expect("+PONG\r\n");
      on.tick(Duration.ofSeconds(9));
      client.send("PING\r\n").expect("+PONG\r\n");

      on.tick(Duration.ofSeconds(11));

      client.expectClosed();
      assertThat(closed(on, CloseReason.IDLE)).isEqualTo(1);
    }

    @Test
    void aClientWaitingForAReplyIsNotIdle() {
      Rig on = with(Limits.timeouts(Limits.idle(Duration.ofSeconds(10))));
      Peer node = on.connected(0);
      Peer client = on.client().send(GET);
      node.expect(GET);

      on.tick(Duration.ofSeconds(11));
      on.tick(Duration.ofSeconds(20));
      node.send("$1\r\nx\r\n");
      client.expect("$1\r\nx\r\n");
      on.tick(Duration.ofSeconds(25)); // idle for five seconds

      client.send("PING\r\n").expect("+PONG\r\n");
    }

    @Test
    void aPausedClientIsNotIdle() {
      Rig on = with(Limits.timeouts(Limits.idle(Duration.ofSeconds(10))));
      on.client().send("CLIENT PAUSE 100000 WRITE\r\n").expect("+OK\r\n");
      String set = Wire.request("SET", "b", "1");
      Peer client = on.client().send(set);
      await().until(() -> on.<Boolean>onLoop(() -> isAnyPutBack(on)));

      on.tick(Duration.ofSeconds(25));
      on.tick(Duration.ofSeconds(50));
      on.client().send("CLIENT UNPAUSE\r\n").expect("+OK\r\n");

      on.accept(0).expect(set).send("+OK\r\n");
      client.expect("+OK\r\n");
    }

    private static boolean isAnyPutBack(Rig rig) {
      return rig.sessions().sessions().stream().anyMatch(session -> session.input().isPutBack());
    }

    @Test
    void aClientPausedForABusyNodeIsNotIdle() {
      ClientLimits limits = Limits.timeouts(Limits.idle(Duration.ofSeconds(10)));
      Rig on = new RigOptions().clientLimits(limits).bounds(new QueueLimits(2, 1 << 20)).start();
      rig = on;
      Peer node = on.connected(0);
      on.client().send(GET);
      node.expect(GET);
      Peer client = on.client().send(GET);
      node.expect(GET); // the limit for the node
      for (int i = 0; i < 2; i++) {
        on.client().send(GET);
        node.expect(GET);
      }
      node.send("$1\r\n1\r\n".repeat(2));
      client.expect("$1\r\n1\r\n");
      String set = Wire.request("SET", "b", "1");
      client.send(set);

      on.tick(Duration.ofSeconds(25));
      node.send("$1\r\n1\r\n".repeat(2));

      node.expect(set).send("+OK\r\n");
      client.expect("+OK\r\n");
    }

    @Test
    void aClientWithAnIncompleteRequestIsIdle() {
      Rig on = with(Limits.timeouts(Limits.idle(Duration.ofSeconds(10))));
      Peer half = on.client().send("*2\r\n$3\r\nGET\r\n");
      await().until(() -> memory(on) > 0);

      on.tick(Duration.ofSeconds(11));

      half.expectClosed();
      assertThat(closed(on, CloseReason.IDLE)).isEqualTo(1);
    }

    @Test
    void subscribersAreNotIdle() {
      Rig on = with(Limits.timeouts(Limits.idle(Duration.ofSeconds(10))));
      Peer client = on.client().send("SUBSCRIBE b\r\n");
      on.acceptSubscriberConnection(0)
          .expect(Wire.request("subscribe", "b"))
          .send("*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:1\r\n".replace("*3", ">3"));
      client.expect("*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:1\r\n");

      on.tick(Duration.ofSeconds(50));

      client.send("PING\r\n").expect("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
    }
  }

  /** The timeouts for authentication, for requests and for reading. */
  @Nested
  class SlowClients {

    @Test
    void theAuthenticationTimeoutClosesTheClient() {
      var limits = Limits.timeouts(Limits.authentication(Duration.ofSeconds(10)));
      Rig on = new RigOptions().clientLimits(limits).password("secret").start();
      rig = on;
      Peer stranger = on.client().send("PING\r\n").expect("-NOAUTH Authentication required.\r\n");
      Peer friend = on.client().send("AUTH secret\r\n").expect("+OK\r\n");
      on.tick(Duration.ofSeconds(1));

      on.tick(Duration.ofSeconds(12));

      stranger.expectClosed();
      friend.send("PING\r\n").expect("+PONG\r\n");
      assertThat(closed(on, CloseReason.AUTHENTICATION)).isEqualTo(1);
    }

    @Test
    void theRequestTimeoutClosesTheClient() {
      Rig on = with(Limits.timeouts(Limits.request(Duration.ofSeconds(10))));
      Peer half = on.client().send("*2\r\n$3\r\nGET\r\n");
      Peer silent = on.client();
      Peer whole = on.client().send("PING\r\n").expect("+PONG\r\n");
      await().until(() -> memory(on) > 0);
      on.tick(Duration.ofSeconds(1));

      on.tick(Duration.ofSeconds(13));

      half.expectClosed();
      silent.send("PING\r\n").expect("+PONG\r\n");
      whole.send("PING\r\n").expect("+PONG\r\n");
      assertThat(closed(on, CloseReason.REQUEST)).isEqualTo(1);
    }

    @Test
    void singleBytesDoNotExtendTheRequestTimeout() {
      Rig on = with(Limits.timeouts(Limits.request(Duration.ofSeconds(10))));
      Peer slow = on.client().send("*2\r\n$3\r\nGET\r\n$1000\r\n");
      await().until(() -> memory(on) > 0);
      for (int second = 1; second <= 13; second++) {
        sendUntilClosed(slow, "x");
        on.tick(Duration.ofSeconds(second));
      }

      slow.expectClosed();
    }

    @Test
    void aLargeRequestHasALongerTimeout() {
      Rig on = with(Limits.timeouts(Limits.request(Duration.ofSeconds(10))));
      Peer node = on.connected(0);
      String set = Wire.request("SET", "b", "x".repeat(100 * 1024));
      Peer client = on.client().send(set.substring(0, 50 * 1024));
      await().until(() -> memory(on) > 50 * 1024);
      on.tick(Duration.ofSeconds(1));
      on.tick(Duration.ofSeconds(40));

      node.expect(Wire.request("PING")).send("+PONG\r\n"); // a health check of an idle connection
      client.send(set.substring(50 * 1024));

      node.expect(set).send("+OK\r\n");
      client.expect("+OK\r\n");
    }

    @Test
    void theRequestTimeoutAppliesToEachRequest() {
      Rig on = with(Limits.timeouts(Limits.request(Duration.ofSeconds(10))));
      Peer client = on.client().send("PI");
      for (int i = 1; i < 5; i++) {
        on.tick(Duration.ofSeconds(6L * i));
        client.send("NG\r\nPI").expect("+PONG\r\n");
      }
      client.send("NG\r\n").expect("+PONG\r\n");
    }

    @Test
    void theReplyTimeoutClosesTheClient() {
      Rig on = with(Limits.timeouts(Limits.reply(Duration.ofSeconds(10))));
      Peer node = on.connected(0);
      unreading(on, node, 24);
      Session session = on.newestSession();
      await().until(() -> unwritten(on, session) > 8 * MEGABYTE);
      await().until(() -> on.<Integer>onLoop(() -> session.replies().size()) == 0);
      on.tick(Duration.ofSeconds(1));
      on.tick(Duration.ofSeconds(2));
      on.tick(Duration.ofSeconds(10));
      assertThat(closed(on, CloseReason.REPLY)).isZero();

      on.tick(Duration.ofSeconds(13));

      assertThat(closed(on, CloseReason.REPLY)).isEqualTo(1);
    }

    @Test
    void aSlowReaderIsNotClosed() {
      Rig on = with(Limits.timeouts(Limits.reply(Duration.ofSeconds(10))));
      Peer node = on.connected(0);
      Peer client = unreading(on, node, 24);
      Session session = on.newestSession();
      await().until(() -> on.<Integer>onLoop(() -> session.replies().size()) == 0);
      for (int i = 1; i <= 24; i += 4) { // the kernel accepts more when it has much room again
        on.tick(Duration.ofSeconds(2L * i));
        long unwritten = unwritten(on, session);
        client.expect(LARGE.repeat(4));
        await().until(() -> unwritten(on, session) < unwritten || unwritten == 0);
      }
    }
  }

  /** The limits of unanswered requests. */
  @Nested
  class UnansweredRequests {

    @Test
    void readingIsPausedAtTheInFlightLimit() {
      Rig on = with(Limits.inFlight(2, 1_000));
      Peer node = on.connected(0);
      Peer client;
      try (LogLines log = LogLines.of("client.ClientLog")) {
        client = on.client().send(GET.repeat(3));
        node.expect(GET + GET);
        await().until(() -> on.<Long>onLoop(() -> on.sessions().pressure().paused()) == 1);
        assertThat(log.get())
            .singleElement()
            .asString()
            .endsWith(" is not read while 2 of its requests are pending");
      }
      assertThat(node.pending()).isZero();

      node.send("$1\r\n1\r\n");

      node.expect(GET).send("$1\r\n2\r\n$1\r\n3\r\n");
      client.expect("$1\r\n1\r\n$1\r\n2\r\n$1\r\n3\r\n");
    }

    @Test
    void requestsAboveTheTotalInFlightLimitAreRejected() {
      Rig on = with(Limits.inFlight(100, 2));
      Peer node = on.connected(0);
      Peer first = on.client().send(GET.repeat(2));
      node.expect(GET + GET);
      Peer second = on.client().send(GET);
      second.expect(
          "-OVERLOADED too many commands of all clients are pending; the command did not run\r\n");
      second.send("PING\r\n").expect("+PONG\r\n"); // needs no node

      node.send("$1\r\n1\r\n$1\r\n2\r\n");

      first.expect("$1\r\n1\r\n$1\r\n2\r\n");
      second.send(GET);
      node.expect(GET).send("$1\r\n3\r\n");
      second.expect("$1\r\n3\r\n");
    }
  }
}
