package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EndpointTest {

  private static final Access ACCESS = new Access(new Credentials("app", "secret"), 3);
  private static final Endpoint NODE = new Endpoint("10.0.0.1", 6379, ACCESS);

  @Test
  void it_is_shown_as_host_and_port_without_a_password() {
    assertThat(NODE).hasToString("10.0.0.1:6379");
    assertThat(new Endpoint("::1", 6379)).hasToString("[::1]:6379");
    assertThat(ACCESS.toString()).contains("app").doesNotContain("secret");
  }

  @Test
  void the_same_place_with_another_access_is_another_endpoint() {
    assertThat(NODE).isEqualTo(new Endpoint("10.0.0.1", 6379).with(ACCESS));
    assertThat(NODE).hasSameHashCodeAs(new Endpoint("10.0.0.1", 6379).with(ACCESS));
    assertThat(NODE).isNotEqualTo(new Endpoint("10.0.0.1", 6379));
  }

  @Test
  void what_a_node_names_has_the_access_of_that_node() {
    assertThat(NODE.at("10.0.0.2", 7000)).isEqualTo(new Endpoint("10.0.0.2", 7000, ACCESS));
  }

  @Test
  void a_database_can_be_left_out() {
    assertThat(ACCESS.withoutDatabase()).isEqualTo(new Access(ACCESS.credentials(), 0));
    assertThat(Access.NONE.withoutDatabase()).isSameAs(Access.NONE);
  }

  @Test
  void a_host_and_a_port_are_needed() {
    assertThatThrownBy(() -> new Endpoint("", 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 65_536))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
