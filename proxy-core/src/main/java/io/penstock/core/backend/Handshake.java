package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a new connection says before any client's command: {@code HELLO 3} with credentials, or
 * {@code AUTH}, then {@code SELECT}. Each must be answered without an error.
 */
final class Handshake {

  private final List<byte[]> requests = new ArrayList<>();

  Handshake(BackendSettings settings, Protocol protocol) {
    String user = settings.user();
    String password = settings.password();
    if (protocol == Protocol.RESP3) {
      requests.add(
          password == null
              ? encode("HELLO", "3")
              : encode("HELLO", "3", "AUTH", user == null ? "default" : user, password));
    } else if (password != null) {
      requests.add(user == null ? encode("AUTH", password) : encode("AUTH", user, password));
    }
    if (settings.database() != 0) {
      requests.add(encode("SELECT", Integer.toString(settings.database())));
    }
  }

  /** The requests, encoded, to be sent in one go. */
  List<byte[]> requests() {
    return requests;
  }

  /** The error text if the reply is an error, else null. */
  static @Nullable String errorIn(ByteBuf buffer, int from, int to) {
    return buffer.getByte(from) == '-'
        ? buffer.toString(from + 1, to - from - 3, StandardCharsets.UTF_8)
        : null;
  }

  static byte[] encode(String... arguments) {
    var text = new StringBuilder().append('*').append(arguments.length).append("\r\n");
    for (String argument : arguments) {
      int length = argument.getBytes(StandardCharsets.UTF_8).length;
      text.append('$').append(length).append("\r\n").append(argument).append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }
}
