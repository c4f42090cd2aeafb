package io.penstock.core.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.BackendContext;
import io.penstock.core.backend.BackendListener;
import io.penstock.core.backend.BackendSettings;
import io.penstock.core.backend.HeldRequests;
import io.penstock.core.backend.PushSinks;
import io.penstock.core.backend.QueueLimits;
import io.penstock.core.backend.TestExchange;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyStats.NodeStats;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTraits;
import io.penstock.core.upstream.ReadSettings;
import io.penstock.testkit.network.ScriptedNode;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;

/** One loop's connections to a scripted server. Set the fields before the first use of the node. */
abstract class NodeFixture {

  static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(100);
  static final long FAR = TimeUnit.HOURS.toNanos(1);

  final ScriptedNode server = new ScriptedNode();
  final List<String> log = new CopyOnWriteArrayList<>();
  final List<String> events = new CopyOnWriteArrayList<>();
  BackendSettings settings =
      new BackendSettings(
          Duration.ofSeconds(100),
          COMMAND_TIMEOUT,
          1,
          2,
          2,
          2_000,
          QueueLimits.DEFAULTS,
          ReadSettings.MASTER_ONLY,
          Label.ONLY);
  Access access = Access.NONE;
  boolean inCluster;
  HeldRequests held = new HeldRequests(0, Label.ONLY); // replaced with the node

  private final LoopGroup group = new LoopGroup(Transport.NIO, 1);
  private final Loop loop = group.loops().getFirst();
  private @Nullable BackendNode node;

  private final BackendListener listener =
      new BackendListener() {
        @Override
        public void onConnected(Endpoint which) {
          events.add("connected");
        }

        @Override
        public void onDisconnected(Endpoint which, int attempts, Throwable cause) {
          events.add("disconnected after " + attempts + ": " + (cause == null ? "" : cause));
        }

        @Override
        public void onWritable() {}
      };

  @AfterEach
  void close() throws Exception {
    onLoop(() -> {
      node().close();
      return null;
    });
    server.close();
    group.shutdown().toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  <T> T onLoop(Callable<T> work) {
    try {
      return loop.executor().submit(work).get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  Endpoint address() {
    return new Endpoint("127.0.0.1", server.port(), access);
  }

  private NodeTraits traits() {
    return new NodeTraits() {
      @Override
      public boolean isInCluster(Endpoint node) {
        return inCluster;
      }
    };
  }

  /** Returns the node, to be used on the loop. */
  BackendNode node() {
    if (node == null) {
      held = new HeldRequests(settings.maxHeld(), settings.upstream());
      node =
          new BackendNode(
              address(),
              new BackendContext(group, loop, settings, listener, PushSinks.NONE, held, traits()));
    }
    return node;
  }

  TestExchange exchange(String name) {
    return new TestExchange(name, log, System.nanoTime() + FAR);
  }

  boolean tick(long nanosFromNow) {
    return onLoop(() -> node().tick(System.nanoTime() + nanosFromNow));
  }

  NodeStats stats() {
    return onLoop(() -> node().stats());
  }

  void awaitLog(String... entries) {
    await().untilAsserted(() -> assertThat(log).containsExactly(entries));
  }
}
