package io.penstock.core.sentinel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;

class SentinelRepliesTest {

  private static final Access NODES = new Access(new Credentials(null, "secret"), 2);
  private static final Access SENTINELS = new Access(new Credentials("watch", "other"), 0);
  private static final Endpoint SOURCE = new Endpoint("10.0.1.1", 26379, SENTINELS);

  private static List<Object> node(String host, int port, String flags) {
    return List.of(
        "name", "x", "ip", host, "port", Integer.toString(port), "runid", host, "flags", flags);
  }

  private static List<Object> master(String host, int port) {
    return List.of(
        "ip",
        host,
        "port",
        Integer.toString(port),
        "runid",
        "m",
        "flags",
        "master",
        "config-epoch",
        "7");
  }

  @Test
  void nodes_and_sentinels_have_their_own_access() {
    SentinelView view =
        new SentinelReplies(
                "me",
                master("10.0.0.1", 6379),
                List.of("10.0.0.1", "6379"),
                List.of(node("10.0.0.2", 6379, "slave,s_down")),
                List.of(node("10.0.1.2", 26379, "sentinel")))
            .view(SOURCE, NODES);
    assertThat(view.id()).isEqualTo("me");
    assertThat(view.epoch()).isEqualTo(7);
    assertThat(view.master()).isEqualTo(new Endpoint("10.0.0.1", 6379, NODES));
    assertThat(view.members()).hasSize(2);
    assertThat(view.members().get(1).isDown()).isTrue();
    assertThat(view.others()).containsEntry("10.0.1.2", new Endpoint("10.0.1.2", 26379, SENTINELS));
  }

  @Test
  void during_a_failover_the_promoted_replica_is_the_master() {
    SentinelView view =
        new SentinelReplies(
                "",
                master("10.0.0.1", 6379),
                List.of("10.0.0.2", "6379"),
                List.of(node("10.0.0.2", 6379, "slave"), node("10.0.0.3", 6379, "slave")),
                List.of())
            .view(SOURCE, NODES);
    assertThat(view.master().host()).isEqualTo("10.0.0.2");
    assertThat(view.members())
        .extracting(member -> member.node().host())
        .containsExactly("10.0.0.2", "10.0.0.3");
    assertThat(view.id()).as("before Redis 6.2").isEqualTo("10.0.1.1:26379");
  }

  @Test
  void host_names_and_ipv6_addresses_are_kept() {
    SentinelView view =
        new SentinelReplies(
                "",
                master("redis-0.example", 6379),
                List.of("redis-0.example", "6379"),
                List.of(node("fd00::2", 6379, "slave"), node("", 0, "slave,disconnected")),
                List.of())
            .view(SOURCE, NODES);
    assertThat(view.members())
        .extracting(member -> member.node().toString())
        .containsExactly("redis-0.example:6379", "[fd00::2]:6379");
  }

  @Test
  void a_master_without_address_is_no_view() {
    var replies = new SentinelReplies("", master("", 0), List.of(), List.of(), List.of());
    assertThatThrownBy(() -> replies.view(SOURCE, NODES))
        .isInstanceOf(UnusableSentinelException.class);
  }

  @Test
  void messages_are_about_one_master() {
    assertThat(about("+switch-master", "mymaster 10.0.0.1 6379 10.0.0.2 6379")).isTrue();
    assertThat(about("+switch-master", "other 10.0.0.1 6379 10.0.0.2 6379")).isFalse();
    assertThat(about("+slave", "slave 10.0.0.2:6379 10.0.0.2 6379 @ mymaster 10.0.0.1 6379"))
        .isTrue();
    assertThat(about("+slave", "slave mymaster 10.0.0.2 6379 @ other 10.0.0.1 6379")).isFalse();
    assertThat(about("+monitor", "master mymaster 10.0.0.1 6379 quorum 2")).isTrue();
    assertThat(about("+sdown", "")).isFalse();
  }

  private static boolean about(String channel, String text) {
    return LettuceSentinelSource.isAbout("mymaster", channel, text);
  }
}
