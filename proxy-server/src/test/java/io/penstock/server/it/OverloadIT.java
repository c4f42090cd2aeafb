package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.UnixOperatingSystemMXBean;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.limit.ClientTimeouts;
import io.penstock.core.limit.OutputLimit;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.observe.ProxyStats.Pressure;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Clients that exceed limits are closed, and other clients are not affected. */
@ExtendWith(SteadyCluster.class)
class OverloadIT {

  private static final long MEGABYTE = 1024 * 1024;
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @SuppressWarnings("NullAway.Init")
  private static EmbeddedCluster cluster;

  @SuppressWarnings("NullAway.Init")
  private static String tag;

  @BeforeAll
  static void startCluster(EmbeddedCluster shared) {
    cluster = shared;
    tag = Keys.tag(Keys.slotOf(cluster, cluster.masters().getFirst()));
  }

  private static ProxyFixture.Builder proxy(ClientLimits limits) {
    return ProxyFixture.of(cluster).clientLimits(limits).commandTimeout(Duration.ofSeconds(20));
  }

  private static ClientLimits limits(OutputLimit normal, long memory, ClientTimeouts timeouts) {
    ClientLimits all = ClientLimits.DEFAULTS;
    return new ClientLimits(
        normal,
        all.subscribers(),
        memory,
        timeouts,
        all.inFlight(),
        all.totalInFlight(),
        all.patterns());
  }

  private static long closed(ProxyFixture proxy, CloseReason reason) {
    return proxy.stats().pressure().closed().getOrDefault(reason, 0L);
  }

  /** Sends small requests until it is stopped, and counts the replies, each of which is in time. */
  private static final class Bystander implements AutoCloseable {

    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final ProxyFixture proxy;
    private final long memoryBefore = LimitsIT.directMemory();
    private volatile boolean stopping;
    private volatile long peakMemory;
    private volatile long slowest;
    private final CountDownLatch begun = new CountDownLatch(1);
    private final Future<Integer> answered;

    /** Returns when the first requests have been answered. */
    Bystander(ProxyFixture proxy) throws InterruptedException {
      this.proxy = proxy;
      this.answered = thread.submit((Callable<Integer>) this::sendRequests);
      assertThat(begun.await(20, TimeUnit.SECONDS)).isTrue();
    }

    private int sendRequests() {
      int count = 0;
      try (RespClient wire = proxy.connect()) {
        while (!stopping) {
          long began = System.nanoTime();
          assertThat(wire.call("INCR", "bystander" + count % 100)).startsWith(":");
          assertThat(wire.call("GET", "bystander" + count % 100)).startsWith("$");
          slowest = Math.max(slowest, System.nanoTime() - began);
          count++;
          begun.countDown();
          peakMemory = Math.max(peakMemory, LimitsIT.directMemory() - memoryBefore);
        }
      }
      return count;
    }

    /** Stops, and returns by how many bytes direct memory has grown at most. */
    long stop(String during) throws Exception {
      stopping = true;
      int count = answered.get();
      System.out.println(
          during
              + ": "
              + count
              + " pairs of commands of another client answered, the slowest in "
              + slowest / 1_000_000
              + " ms, "
              + peakMemory / MEGABYTE
              + " MB more direct memory");
      assertThat(count).isPositive();
      return peakMemory;
    }

    @Override
    public void close() {
      stopping = true;
      thread.close();
    }
  }

  /** Gets small replies, so that Penstock expects small replies for the next requests too. */
  private void haveSmallReplies(RespClient wire) {
    for (int i = 0; i < 100; i++) {
      wire.write(Wire.request("GET", tag + "none"));
    }
    wire.flush();
    for (int i = 0; i < 100; i++) {
      assertThat(wire.read()).isEqualTo("$-1\r\n");
    }
  }

  @Test
  void aClientThatDoesNotReadAGigabyteOfRepliesIsClosed() throws Exception {
    var hard = new OutputLimit(32 * MEGABYTE, 0, Duration.ZERO);
    try (ProxyFixture proxy = proxy(limits(hard, 0, ClientTimeouts.DEFAULTS)).startReady();
        RespClient greedy = RespClient.open(proxy.host(), proxy.port(), 4_096);
        Bystander bystander = new Bystander(proxy)) {
      assertThat(greedy.call("SET", tag + "large", "x".repeat((int) MEGABYTE)))
          .isEqualTo("+OK\r\n");
      haveSmallReplies(greedy);
      String get = Wire.request("GET", tag + "large");

      for (int i = 0; i < 1_000; i++) {
        greedy.write(get);
      }
      greedy.flush();

      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> closed(proxy, CloseReason.OUTPUT_HARD_LIMIT) == 1);
      assertThat(bystander.stop("a gigabyte that nobody reads")).isLessThan(128 * MEGABYTE);
      Awaitility.await().until(() -> proxy.stats().pressure().memory() == 0);
    }
  }

  @Test
  void memoryOfAllClientsIsBoundedAndTheLargestIsClosed() throws Exception {
    long bound = 128 * MEGABYTE;
    List<RespClient> greedy = new ArrayList<>();
    try (ProxyFixture proxy =
            proxy(limits(OutputLimit.NONE, bound, ClientTimeouts.DEFAULTS)).startReady();
        Bystander bystander = new Bystander(proxy);
        RespClient modest = proxy.connect()) {
      assertThat(modest.call("SET", tag + "large", "x".repeat((int) MEGABYTE)))
          .isEqualTo("+OK\r\n");
      String get = Wire.request("GET", tag + "large");
      for (int i = 0; i < 60; i++) {
        RespClient wire = RespClient.open(proxy.host(), proxy.port(), 4_096);
        greedy.add(wire);
        haveSmallReplies(wire);
      }
      for (RespClient wire : greedy) {
        for (int j = 0; j < 30; j++) {
          wire.write(get);
        }
        wire.flush();
      }

      Awaitility.await().atMost(PATIENCE).until(() -> closed(proxy, CloseReason.MEMORY) >= 5);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> proxy.stats().pressure().unanswered() <= 1); // the bystander's
      Awaitility.await().until(() -> proxy.stats().pressure().memory() <= bound);
      assertThat(closed(proxy, CloseReason.MEMORY)).isBetween(5L, 59L);
      assertThat(modest.call("GET", tag + "large")).startsWith("$" + MEGABYTE);
      assertThat(bystander.stop("sixty that read nothing")).isLessThan(2 * bound + 64 * MEGABYTE);
      leave(greedy, proxy);
    } finally {
      greedy.forEach(RespClient::close);
    }
  }

  @Test
  void clientsThatReadNothingDoNotAffectOthers() throws Exception {
    int clients = 20;
    int values = 200;
    List<RespClient> lazy = new ArrayList<>();
    try (ProxyFixture proxy =
            proxy(limits(OutputLimit.NONE, 256 * MEGABYTE, ClientTimeouts.DEFAULTS)).startReady();
        RespClient modest = proxy.connect();
        Bystander bystander = new Bystander(proxy)) {
      for (int i = 0; i < 10; i++) {
        modest.call("SET", "large" + i, "x".repeat((int) MEGABYTE));
      }
      for (int i = 0; i < clients; i++) {
        RespClient wire = RespClient.open(proxy.host(), proxy.port(), 4_096);
        lazy.add(wire);
        for (int j = 0; j < values; j++) {
          wire.write(Wire.request("GET", "large" + j % 10));
        }
        wire.flush();
      }

      Awaitility.await()
          .atMost(PATIENCE)
          .until(() ->
              proxy.stats().pressure().paused() >= clients
                  && received(proxy) >= clients * MEGABYTE);
      Awaitility.await()
          .atMost(PATIENCE)
          .until(() -> proxy.stats().pressure().unanswered() <= 1); // the bystander's
      assertThat(modest.call("GET", "large0")).startsWith("$" + MEGABYTE);
      bystander.stop("twenty that read nothing");
      assertThat(received(proxy)).isLessThan(clients * 32L * MEGABYTE);
      assertThat(closed(proxy, CloseReason.MEMORY)).isZero();
      leave(lazy, proxy);
    } finally {
      lazy.forEach(RespClient::close);
    }
  }

  /** Closes clients with unread replies, and waits until the proxy has released these. */
  private static void leave(List<RespClient> clients, ProxyFixture proxy) {
    clients.forEach(RespClient::close);
    Awaitility.await().until(() -> proxy.stats().clientsNow() <= 1);
  }

  private static long received(ProxyFixture proxy) {
    return proxy.stats().nodes().stream().mapToLong(NodeStats::bytesReceived).sum();
  }

  @Test
  void clientsThatNeverCompleteTheirRequestAreClosed() throws Exception {
    long bound = 128 * MEGABYTE;
    byte[] begun = Wire.bytes("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$500000000\r\n");
    byte[] part = new byte[(int) MEGABYTE];
    List<RespClient> greedy = new ArrayList<>();
    try (ProxyFixture proxy =
            proxy(limits(OutputLimit.NONE, bound, ClientTimeouts.DEFAULTS)).startReady();
        Bystander bystander = new Bystander(proxy);
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> sending = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        RespClient wire = proxy.connect();
        greedy.add(wire);
        wire.write(begun);
        sending.add(
            threads.submit(() -> {
              try {
                for (int sent = 0; sent < 30; sent++) {
                  wire.write(part).flush();
                }
              } catch (UncheckedIOException e) {
                // closed, as most of them are
              }
            }));
      }
      for (Future<?> one : sending) {
        one.get();
      }

      Awaitility.await().atMost(PATIENCE).until(() -> proxy.stats().pressure().memory() <= bound);
      assertThat(closed(proxy, CloseReason.MEMORY)).isBetween(5L, 59L);
      assertThat(bystander.stop("sixty that send and never end")).isLessThan(3 * bound);
    } finally {
      greedy.forEach(RespClient::close);
    }
  }

  @Test
  void aClientThatDoesNotReadASmallReplyIsClosedInTheEnd() throws Exception {
    var timeouts =
        new ClientTimeouts(Duration.ZERO, Duration.ZERO, Duration.ZERO, Duration.ofSeconds(1));
    try (ProxyFixture proxy = proxy(limits(OutputLimit.NONE, 0, timeouts)).startReady();
        RespClient lazy = RespClient.open(proxy.host(), proxy.port(), 4_096);
        Bystander bystander = new Bystander(proxy)) {
      assertThat(lazy.call("SET", tag + "large", "x".repeat((int) MEGABYTE))).isEqualTo("+OK\r\n");
      for (int i = 0; i < 12; i++) {
        lazy.send("GET", tag + "large");
      }

      Awaitility.await().atMost(PATIENCE).until(() -> closed(proxy, CloseReason.REPLY) == 1);
      assertThat(bystander.stop("one that reads nothing")).isLessThan(64 * MEGABYTE);
    }
  }

  @Test
  void thousandsOfIncompleteRequestsUseLittleMemoryAndEnd() throws Exception {
    var timeouts =
        new ClientTimeouts(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(5), Duration.ZERO);
    var system = ManagementFactory.getOperatingSystemMXBean();
    long files =
        system instanceof UnixOperatingSystemMXBean unix
            ? unix.getMaxFileDescriptorCount() - unix.getOpenFileDescriptorCount()
            : 2_000;
    int count = (int) Math.min(5_000, files / 3); // both ends are in this process
    System.out.println(count + " clients send half a command");
    byte[] half = Wire.bytes("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$500000000\r\nabc");
    List<SocketChannel> halves = new ArrayList<>();
    try (ProxyFixture proxy =
            proxy(limits(OutputLimit.NONE, 64 * MEGABYTE, timeouts)).startReady();
        Bystander bystander = new Bystander(proxy)) {
      for (int i = 0; i < count; i++) {
        SocketChannel client =
            SocketChannel.open(new InetSocketAddress(proxy.host(), proxy.port()));
        halves.add(client);
        client.write(ByteBuffer.wrap(half));
      }

      Awaitility.await().atMost(PATIENCE).until(() -> proxy.stats().clientsNow() == 1);
      assertThat(closed(proxy, CloseReason.REQUEST)).isEqualTo(count);
      assertThat(closed(proxy, CloseReason.MEMORY)).isZero();
      assertThat(bystander.stop("half commands")).isLessThan(64 * MEGABYTE);
    } finally {
      for (SocketChannel client : halves) {
        client.close();
      }
    }
  }

  @Test
  void aSlowTrickleOfBytesDoesNotKeepAConnectionOpen() {
    var timeouts =
        new ClientTimeouts(Duration.ZERO, Duration.ZERO, Duration.ofSeconds(1), Duration.ZERO);
    try (ProxyFixture proxy = proxy(limits(OutputLimit.NONE, 0, timeouts)).startReady();
        RespClient slow = proxy.connect()) {
      slow.write("*3\r\n$3\r\nSET\r\n$3\r\nkey\r\n$1000\r\n").flush();

      Awaitility.await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> {
            try {
              slow.write("x").flush();
            } catch (UncheckedIOException e) {
              // closed, as expected
            }
            return closed(proxy, CloseReason.REQUEST) == 1;
          });
    }
  }

  /** Exceeds the limits on requests: every request is answered, and nothing is left. */
  @Test
  void requestsAboveTheLimitsWaitOrAreRejectedAndAllAreAnswered() throws Exception {
    ClientLimits all = ClientLimits.DEFAULTS;
    var few =
        new ClientLimits(
            all.normal(), all.subscribers(), all.memory(), all.timeouts(), 200, 3_000, 10_000);
    int clients = 60;
    int each = 2_000;
    try (ProxyFixture proxy = proxy(few).bounds(new QueueLimits(50, MEGABYTE)).startReady();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<int[]>> results = new ArrayList<>();
      for (int i = 0; i < clients; i++) {
        int client = i;
        results.add(threads.submit(() -> flood(proxy, client, each)));
      }
      int done = 0;
      int rejected = 0;
      for (Future<int[]> result : results) {
        done += result.get()[0];
        rejected += result.get()[1];
      }
      System.out.println("of " + clients * each + " commands " + rejected + " were rejected");
      assertThat(done + rejected).isEqualTo(clients * each);
      assertThat(done).isPositive();
      Awaitility.await().until(() -> proxy.stats().clientsNow() == 0);
      Pressure left = proxy.stats().pressure();
      assertThat(left.unanswered()).isZero();
      assertThat(left.memory()).isZero();
      try (RespClient wire = proxy.connect()) {
        long counted = 0;
        for (int i = 0; i < clients; i++) {
          for (int key = 0; key < 10; key++) {
            String value = Wire.content(wire.call("GETDEL", "flood:" + i + ":" + key));
            counted += value.startsWith("$") ? 0 : Long.parseLong(value);
          }
        }
        assertThat(counted).as("rejected commands did not run, others once").isEqualTo(done);
      }
    }
  }

  /** Returns how many increments ran and how many were rejected; no other reply is allowed. */
  private static int[] flood(ProxyFixture proxy, int client, int count) {
    try (RespClient wire = proxy.connect()) {
      Thread writer =
          Thread.ofVirtual()
              .start(() -> {
                for (int i = 0; i < count; i++) {
                  wire.write(Wire.request("INCR", "flood:" + client + ":" + i % 10));
                }
                wire.flush();
              });
      int[] result = new int[2];
      for (int i = 0; i < count; i++) {
        String reply = wire.read();
        if (reply.startsWith("-OVERLOADED ")) {
          result[1]++;
        } else {
          assertThat(reply).startsWith(":");
          result[0]++;
        }
      }
      writer.join();
      return result;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }
}
