package io.penstock.core.cluster;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectTest {

  private static final Endpoint ANSWERED = new Endpoint("10.0.0.9", 7000);

  @Test
  void moved_names_slot_and_node() {
    assertThat(parse("-MOVED 3999 127.0.0.1:6381\r\n"))
        .isEqualTo(new Redirect(Redirect.Kind.MOVED, 3999, "127.0.0.1", 6381));
  }

  @Test
  void ask_names_slot_and_node() {
    assertThat(parse("-ASK 16383 127.0.0.1:6381\r\n"))
        .isEqualTo(new Redirect(Redirect.Kind.ASK, 16383, "127.0.0.1", 6381));
  }

  @Test
  void the_line_may_lack_its_minus_and_crlf() {
    assertThat(parse("MOVED 0 redis-0.redis.svc:6381"))
        .isEqualTo(new Redirect(Redirect.Kind.MOVED, 0, "redis-0.redis.svc", 6381));
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED 1 2001:db8::1:6379", "MOVED 1 [2001:db8::1]:6379"})
  void an_ipv6_address_ends_at_the_last_colon(String line) {
    assertThat(parse(line)).isEqualTo(new Redirect(Redirect.Kind.MOVED, 1, "2001:db8::1", 6379));
  }

  @ParameterizedTest
  @ValueSource(strings = {"MOVED 1 :6379", "MOVED 1 ?:6379"})
  void no_host_means_the_host_that_answered(String line) {
    Redirect redirect = requireNonNull(parse(line));
    assertThat(redirect).isEqualTo(new Redirect(Redirect.Kind.MOVED, 1, "", 6379));
    assertThat(redirect.target(ANSWERED)).isEqualTo(new Endpoint("10.0.0.9", 6379));
  }

  @Test
  void the_target_has_the_access_of_the_answering_node() {
    var access = new Access(new Credentials(null, "secret"), 0);
    assertThat(requireNonNull(parse("MOVED 1 redis-0:6379")).target(ANSWERED.with(access)))
        .isEqualTo(new Endpoint("redis-0", 6379, access));
  }

  @Test
  void a_named_host_is_the_target() {
    assertThat(requireNonNull(parse("ASK 1 redis-0:6379")).target(ANSWERED))
        .isEqualTo(new Endpoint("redis-0", 6379));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "-",
        "-\r\n",
        "MOVED",
        "MOVED ",
        "MOVED 1",
        "MOVED 1 ",
        "MOVED 1 host",
        "MOVED 1 host:",
        "MOVED 1 host:0",
        "MOVED 1 host:65536",
        "MOVED 1 host:99999999999999",
        "MOVED 1 host:-1",
        "MOVED 1 host:63x9",
        "MOVED  host:6379",
        "MOVED -1 host:6379",
        "MOVED 16384 host:6379",
        "MOVED 99999999999 host:6379",
        "MOVED one host:6379",
        "MOVED 1 ho\tst:6379",
        "MOVEDX 1 host:6379",
        "moved 1 host:6379",
        "ASKING 1 host:6379",
        "ERR MOVED 1 host:6379",
        "WRONGTYPE Operation against a key",
      })
  void other_lines_are_not_redirects(String line) {
    assertThat(parse(line)).isNull();
  }

  private static @Nullable Redirect parse(String line) {
    byte[] bytes = line.getBytes(StandardCharsets.US_ASCII);
    ByteBuf buffer = Unpooled.wrappedBuffer(new byte[] {'x'}, bytes, new byte[] {':', '1'});
    Redirect redirect = Redirect.parse(buffer, 1, bytes.length);
    assertThat(buffer.readerIndex()).isZero();
    buffer.release();
    return redirect;
  }
}
