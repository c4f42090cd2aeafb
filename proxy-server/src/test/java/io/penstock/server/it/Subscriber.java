package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.function.BooleanSupplier;
import org.awaitility.Awaitility;

/** A subscriber on a raw connection. */
final class Subscriber implements AutoCloseable {

  private final RespClient wire;
  private final char type;

  private Subscriber(RespClient wire, int protocol) {
    this.wire = wire;
    this.type = protocol == 3 ? '>' : '*';
    if (protocol == 3) {
      assertThat(wire.call("HELLO", "3")).startsWith("%7\r\n");
    }
  }

  static Subscriber open(ProxyFixture proxy, int protocol) {
    return new Subscriber(proxy.connect(), protocol);
  }

  static Subscriber over(RespClient wire) {
    return new Subscriber(wire, 2);
  }

  RespClient wire() {
    return wire;
  }

  /** Subscribes to one more name and expects the confirmation with {@code count} subscriptions. */
  Subscriber to(String command, String name, int count) {
    assertThat(wire.call(command, name))
        .isEqualTo(frame(command.toLowerCase(java.util.Locale.ROOT), name, ":" + count));
    return this;
  }

  /** Reads the next push and checks that it is this one. */
  void expect(String... elements) {
    assertThat(Wire.shown(wire.read())).isEqualTo(Wire.shown(frame(elements)));
  }

  /** Returns a push of bulk strings; an element that starts with a colon is an integer. */
  String frame(String... elements) {
    var frame = new StringBuilder().append(type).append(elements.length).append("\r\n");
    for (String element : elements) {
      frame.append(element.startsWith(":") ? element + "\r\n" : Wire.bulk(element));
    }
    return frame.toString();
  }

  /** Checks that no push is left to read. */
  void expectNothing() {
    assertThat(wire.available()).isZero();
  }

  static void await(String what, BooleanSupplier condition) {
    Awaitility.await(what).atMost(java.time.Duration.ofSeconds(30)).until(condition::getAsBoolean);
  }

  @Override
  public void close() {
    wire.close();
  }
}
