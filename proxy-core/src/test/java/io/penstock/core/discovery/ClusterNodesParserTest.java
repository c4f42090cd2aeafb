package io.penstock.core.discovery;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.upstream.Endpoint;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ClusterNodesParserTest {

  private static final Endpoint SOURCE = new Endpoint("seed.example", 7000);
  private static final String ID = "07c37dfeb235213a872192d90877d0cd55635b91";

  @Test
  void parses_the_reply_of_redis_7() {
    ClusterView view =
        parse(
            """
            07c37dfeb235213a872192d90877d0cd55635b91 127.0.0.1:30004@31004,host4 slave e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca 0 1426238317239 4 connected
            67ed2db8d677e59ec4a4cefb06858cf2a1a89fa1 127.0.0.1:30002@31002,host2 master - 0 1426238316232 2 connected 5461-10922
            292f8b365bb7edb5e285caf0b7e6ddc7265d2f4f 127.0.0.1:30003@31003,host3 master,fail? - 1426238310000 1426238318243 3 disconnected 10923-16383
            e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca 127.0.0.1:30001@31001,host1 myself,master - 0 0 1 connected 0-5459 5460
            """);
    ViewNode replica = node(view, "07c37dfeb235213a872192d90877d0cd55635b91");
    assertThat(replica.node()).isEqualTo(new Endpoint("127.0.0.1", 30004));
    assertThat(replica.masterId()).isEqualTo("e7d1eecce10fd6bb5eb35b9f99a514335d9ba9ca");
    assertThat(replica.isMaster()).isFalse();
    ViewNode suspected = node(view, "292f8b365bb7edb5e285caf0b7e6ddc7265d2f4f");
    assertThat(suspected.configEpoch()).isEqualTo(3);
    assertThat(suspected.isHealthy()).isFalse();
    assertThat(suspected.linked()).isFalse();
    assertThat(view.coveredSlots()).isEqualTo(16384);
    ViewNode owner = requireNonNull(view.ownerOf(5460));
    assertThat(owner.isMyself()).isTrue();
    assertThat(owner.masterId()).isNull();
  }

  @Test
  void slots_in_migration_stay_with_their_owner() {
    ClusterView view =
        parse(
            "a 10.0.0.1:7000@17000 myself,master - 0 0 1 connected 0-100 [77->-"
                + ID
                + "]\nb 10.0.0.2:7000@17000 master - 0 0 2 connected 200 [77-<-a] 201-300\n");
    assertThat(requireNonNull(view.ownerOf(77)).id()).isEqualTo("a");
    assertThat(view.coveredSlots()).isEqualTo(202);
  }

  @Test
  void an_ipv6_address_ends_at_the_last_colon() {
    assertThat(address("2001:db8::7:7000@17000")).isEqualTo(new Endpoint("2001:db8::7", 7000));
  }

  @Test
  void redis_3_has_no_bus_port() {
    assertThat(address("10.0.0.1:7000")).isEqualTo(new Endpoint("10.0.0.1", 7000));
  }

  @Test
  void a_node_alone_has_the_address_that_was_queried() {
    assertThat(address(":7001@17001")).isEqualTo(new Endpoint("seed.example", 7001));
  }

  @Test
  void a_node_without_address_has_no_endpoint() {
    assertThat(address(":0@0")).isNull();
  }

  @Test
  void the_preferred_endpoint_is_used() {
    assertThat(address("10.0.0.1:7000@17000,redis-0", Map.of("a", "redis-0")))
        .isEqualTo(new Endpoint("redis-0", 7000));
  }

  @Test
  void an_announced_host_name_that_is_not_preferred_is_not_used() {
    assertThat(address("10.0.0.1:7000@17000,redis-0", Map.of("a", "10.0.0.1")))
        .isEqualTo(new Endpoint("10.0.0.1", 7000));
    assertThat(address("10.0.0.1:7000@17000,redis-0")).isEqualTo(new Endpoint("10.0.0.1", 7000));
  }

  @Test
  void an_unknown_endpoint_is_the_host_that_was_queried() {
    assertThat(address("10.0.0.1:7000@17000", Map.of("a", "")))
        .isEqualTo(new Endpoint("seed.example", 7000));
  }

  @Test
  void a_missing_host_name_falls_back_to_the_address() {
    assertThat(address("10.0.0.1:7000@17000", Map.of("a", "?")))
        .isEqualTo(new Endpoint("10.0.0.1", 7000));
    assertThat(address(":7000@17000", Map.of("a", "?")))
        .isEqualTo(new Endpoint("seed.example", 7000));
  }

  @Test
  void later_fields_of_the_address_are_ignored() {
    assertThat(address("10.0.0.1:7000@17000,redis-0,shard-id=69bc080733d1355567173199cff4a6a0"))
        .isEqualTo(new Endpoint("10.0.0.1", 7000));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n\n",
        "ERR something",
        "a 10.0.0.1 master - 0 0 1 connected 0-5460",
        "a 10.0.0.1:x@1 master - 0 0 1 connected 0-5460",
        "a 10.0.0.1:70000@1 master - 0 0 1 connected 0-5460",
        "a 10.0.0.1:7000@17000 master - 0 0 epoch connected 0-5460",
        "a 10.0.0.1:7000@17000 master - 0 0 1 connected 0-16384",
        "a 10.0.0.1:7000@17000 master - 0 0 1 connected 5-4",
        "a 10.0.0.1:7000@17000 master - 0 0 1 connected x",
        "a 10.0.0.1:7000@17000 master - 0 0 1",
      })
  void a_line_that_cannot_be_parsed_fails_the_view(String text) {
    assertThatThrownBy(() -> parse(text)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void a_majority_is_counted_in_reachable_masters_with_slots() {
    assertThat(Views.view(Views.HEALTHY).isOfMajority()).isTrue();
    assertThat(Views.view(Views.A_FAILED).isOfMajority()).isTrue();
    assertThat(Views.view(Views.A_ALONE).isOfMajority()).isFalse();
    assertThat(Views.view(Views.EMPTY_NODE).isOfMajority()).isFalse();
  }

  private static @Nullable Endpoint address(String field) {
    return address(field, Map.of());
  }

  private static @Nullable Endpoint address(String field, Map<String, String> endpoints) {
    String line = "a " + field + " master - 0 0 1 connected 0-5460";
    return node(new ClusterNodesParser(SOURCE, endpoints).parse(line), "a").node();
  }

  private static ViewNode node(ClusterView view, String id) {
    return requireNonNull(view.nodes().get(id));
  }

  private static ClusterView parse(String text) {
    return new ClusterNodesParser(SOURCE, Map.of()).parse(text);
  }
}
