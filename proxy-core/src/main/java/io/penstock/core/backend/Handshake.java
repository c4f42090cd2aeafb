package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.cluster.Credentials;
import io.penstock.core.resp.Protocol;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a new connection says before any client's command: {@code HELLO 3} with credentials, or
 * {@code AUTH}, then its name and {@code SELECT}. Each must be answered without an error.
 */
final class Handshake {

  private static final String CONNECTION_NAME = "penstock";

  private final List<byte[]> requests = new ArrayList<>();

  Handshake(BackendSettings settings, Protocol protocol) {
    Credentials credentials = settings.credentials();
    if (protocol == Protocol.RESP3) {
      requests.add(hello(credentials));
    } else if (credentials != null) {
      requests.add(auth(credentials));
    }
    // Also where nothing else needs saying: a node that takes no more clients, or wants a password,
    // says
    // so here and not in place of a client's reply. Allowed while a node loads.
    requests.add(encode("CLIENT", "SETNAME", CONNECTION_NAME));
    if (settings.database() != 0) {
      requests.add(encode("SELECT", Integer.toString(settings.database())));
    }
  }

  private static byte[] hello(@Nullable Credentials credentials) {
    if (credentials == null) {
      return encode("HELLO", "3");
    }
    String user = credentials.user() == null ? "default" : credentials.user();
    return encode("HELLO", "3", "AUTH", user, credentials.password());
  }

  private static byte[] auth(Credentials credentials) {
    String user = credentials.user();
    return user == null
        ? encode("AUTH", credentials.password())
        : encode("AUTH", user, credentials.password());
  }

  /** The requests, encoded, to be sent in one go. */
  List<byte[]> requests() {
    return requests;
  }

  /** The error text if the reply is an error, else null. */
  static @Nullable String errorIn(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) != '-') {
      return null;
    }
    String error = buffer.toString(from + 1, to - from - 3, StandardCharsets.UTF_8);
    return error.startsWith("NOPERM ") ? null : error; // the name is a courtesy
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
