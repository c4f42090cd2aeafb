package io.penstock.core.control;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandTimeoutException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class OutageTest {

  static Stream<Arguments> failures() {
    return Stream.of(
        Arguments.of(
            new IOException("recvAddress(..) failed with error(-104): Connection reset by peer"),
            "Connection reset by peer"),
        Arguments.of(
            new ConnectException(
                "io_uring connect(..) failed with error(-111): Connection refused:"
                    + " orders.example/10.0.0.1:6379"),
            "Connection refused"),
        Arguments.of(
            new ConnectException("connection timed out after 1000 ms: /10.0.0.1:6379"),
            "connection timed out after 1000 ms"),
        Arguments.of(new ConnectException("Connection refused"), "Connection refused"),
        Arguments.of(new ClosedChannelException(), "the connection was closed"),
        Arguments.of(
            new RedisCommandTimeoutException("CLUSTER. Command timed out after 1 second(s)"),
            "no reply in time"),
        Arguments.of(new TimeoutException(), "no reply in time"),
        Arguments.of(
            new UnknownHostException("orders.example: Name or service not known"),
            "the name orders.example has no address"),
        Arguments.of(
            new UnknownHostException("orders.example"), "the name orders.example has no address"),
        Arguments.of(
            new IllegalStateException(new IOException("the node said: no")), "the node said: no"));
  }

  @ParameterizedTest
  @MethodSource("failures")
  void aReasonIsInWordsForUsers(Exception failure, String reason) {
    assertThat(Outage.reason(failure)).isEqualTo(reason);
    assertThat(Outage.reason(new IllegalStateException("wrapped", failure))).isEqualTo(reason);
  }
}
