package io.penstock.core.shards;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.layout.Distribution;
import io.penstock.core.layout.LayoutSettings;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.layout.ShardServer;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.wire.LogLines;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EjectionTest {

  private static final Duration INTERVAL = Duration.ofMillis(100);
  private static final Duration RETRY = Duration.ofSeconds(30);
  private static final Object LOOP = "loop 1";
  private static final Object OTHER_LOOP = "loop 2";

  private final ManualThread thread = new ManualThread();
  private final List<String> events = new ArrayList<>();
  private final List<Endpoint> nodes = new ArrayList<>();
  private final ShardLayout layout = layout();
  private final Ejection ejection =
      new Ejection(
          layout,
          new EjectionSettings(2, RETRY),
          new Ejection.Environment(thread, new Events(), INTERVAL, LogPrefix.NONE));

  /** Notes which servers leave and return. */
  private final class Events implements ProxyEvents {

    @Override
    public void serverEjected(Endpoint node) {
      events.add("- " + node.host());
    }

    @Override
    public void serverReadmitted(Endpoint node) {
      events.add("+ " + node.host());
    }
  }

  private ShardLayout layout() {
    List<ShardServer> servers = new ArrayList<>();
    for (String host : List.of("a", "b", "c")) {
      nodes.add(new Endpoint(host, 1));
      servers.add(new ShardServer(host, host + ":1", 1));
    }
    return ShardLayout.of(LayoutSettings.ofServers(Distribution.KETAMA, servers));
  }

  /** A connection to the server is lost or refused. */
  private void lose(int shard, Object loop, long received) {
    ejection.failed(shard, nodes.get(shard), loop, received, false);
    thread.run();
  }

  private void eject(int shard) {
    lose(shard, LOOP, 0);
    lose(shard, LOOP, 0);
  }

  private boolean owns(int shard) {
    for (int i = 0; i < 200; i++) {
      byte[] key = (i + ":key").getBytes(StandardCharsets.US_ASCII);
      if (layout.shardOf(key) == shard && ejection.partitionOf(key) == shard) {
        return true;
      }
    }
    return false;
  }

  @Test
  void the_log_names_the_time() {
    try (LogLines lines = LogLines.of("shards.Ejection")) {
      eject(1);
      thread.advance(RETRY);

      assertThat(lines.get())
          .containsExactly(
              "Server b (b:1) has failed 2 times in a row and is ejected for 30 s: its keys, and"
                  + " some of the others, belong to other servers now; 2 of 3 servers are left",
              "Server b (b:1) is in the layout again after 30 s, without a check: its keys belong"
                  + " to it again");
    }
  }

  @Test
  void failures_in_a_row_eject_a_server_until_the_retry() {
    lose(1, LOOP, 0);
    assertThat(owns(1)).isTrue();

    lose(1, LOOP, 0);
    assertThat(owns(1)).isFalse();
    assertThat(owns(0)).isTrue();
    assertThat(ejection.isInUse(1)).isFalse();
    assertThat(ejection.isInUse(0)).isTrue();
    thread.advance(RETRY.minusMillis(1));
    assertThat(owns(1)).isFalse();

    thread.advance(Duration.ofMillis(1));
    assertThat(owns(1)).isTrue();
    assertThat(ejection.isInUse(1)).isTrue();
    assertThat(events).containsExactly("- b", "+ b");
  }

  @Test
  void a_reply_in_between_begins_the_count_anew() {
    lose(1, LOOP, 0);
    lose(1, LOOP, 5);
    lose(1, LOOP, 9);
    assertThat(events).isEmpty();

    lose(1, LOOP, 9);
    assertThat(events).containsExactly("- b");
  }

  @Test
  void each_loop_counts_for_itself() {
    lose(1, LOOP, 0);
    lose(1, OTHER_LOOP, 0);
    lose(2, LOOP, 0);
    assertThat(events).isEmpty();

    lose(1, OTHER_LOOP, 0);
    assertThat(events).containsExactly("- b");
  }

  @Test
  void silence_counts_once_in_an_interval() {
    for (int i = 0; i < 10; i++) {
      ejection.failed(1, nodes.get(1), LOOP, 0, true);
    }
    thread.run();
    assertThat(events).isEmpty();

    thread.advance(INTERVAL);
    ejection.failed(1, nodes.get(1), LOOP, 0, true);
    thread.run();
    assertThat(events).containsExactly("- b");
  }

  @Test
  void after_its_return_a_server_needs_as_many_failures_again() {
    eject(1);
    thread.advance(RETRY);

    lose(1, LOOP, 0);
    assertThat(events).containsExactly("- b", "+ b");
    lose(1, LOOP, 0);
    assertThat(events).containsExactly("- b", "+ b", "- b");
  }

  @Test
  void the_last_server_stays() {
    eject(0);
    eject(1);
    eject(2);

    assertThat(events).containsExactly("- a", "- b");
    assertThat(owns(2)).isTrue();
    thread.advance(RETRY);
    assertThat(owns(0) && owns(1)).isTrue();
  }

  @Test
  void failures_of_an_ejected_server_are_no_news() {
    eject(1);
    eject(1);

    thread.advance(RETRY);
    assertThat(events).containsExactly("- b", "+ b");
    thread.advance(RETRY);
    assertThat(events).hasSize(2);
  }

  @Test
  void nothing_changes_after_the_close() {
    eject(1);
    ejection.close();
    eject(2);
    thread.advance(RETRY);

    assertThat(events).containsExactly("- b");
  }
}
