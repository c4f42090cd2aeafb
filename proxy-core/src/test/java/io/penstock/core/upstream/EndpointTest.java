package io.penstock.core.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class EndpointTest {

  private static final Access ACCESS = new Access(new Credentials("app", "secret"), 3);
  private static final Endpoint NODE = new Endpoint("10.0.0.1", 6379, ACCESS);

  @Test
  void toString_has_host_and_port_without_a_password() {
    assertThat(NODE).hasToString("10.0.0.1:6379");
    assertThat(new Endpoint("::1", 6379)).hasToString("[::1]:6379");
    assertThat(ACCESS.toString()).contains("app").doesNotContain("secret");
  }

  @Test
  void the_same_address_with_another_access_is_not_equal() {
    assertThat(NODE).isEqualTo(new Endpoint("10.0.0.1", 6379).with(ACCESS));
    assertThat(NODE).hasSameHashCodeAs(new Endpoint("10.0.0.1", 6379).with(ACCESS));
    assertThat(NODE).isNotEqualTo(new Endpoint("10.0.0.1", 6379));
  }

  @Test
  void another_address_keeps_the_access() {
    assertThat(NODE.at("10.0.0.2", 7000)).isEqualTo(new Endpoint("10.0.0.2", 7000, ACCESS));
  }

  @Test
  void a_database_can_be_removed() {
    assertThat(ACCESS.withoutDatabase()).isEqualTo(new Access(ACCESS.credentials(), 0));
    assertThat(Access.NONE.withoutDatabase()).isSameAs(Access.NONE);
  }

  @Test
  void host_and_port_are_required() {
    assertThatThrownBy(() -> new Endpoint("", 1)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Endpoint("a", 65_536))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
