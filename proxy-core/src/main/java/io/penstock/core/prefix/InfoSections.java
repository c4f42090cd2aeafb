package io.penstock.core.prefix;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.WireRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The sections of {@code INFO}, of which {@code keyspace} counts the keys of all users. */
final class InfoSections {

  private static final String COUNTS_KEYS = "keyspace";

  /** What {@code INFO} without arguments shows. */
  static final List<String> DEFAULT =
      List.of(
          "server",
          "clients",
          "memory",
          "persistence",
          "stats",
          "replication",
          "cpu",
          "modules",
          "errorstats",
          "cluster",
          "penstock",
          "crossslot",
          "shadow",
          "mirror");

  /** What {@code INFO everything} shows beside these. */
  static final List<String> MORE = List.of("commandstats", "latencystats");

  private InfoSections() {}

  /** Returns the request without that section; null if it has none. The caller owns it. */
  static @Nullable ByteBuf withoutKeyspace(RequestFrame frame) {
    List<String> words = new ArrayList<>(List.of("INFO"));
    boolean changed = frame.argc() == 1;
    if (changed) {
      words.addAll(DEFAULT);
    }
    for (int i = 1; i < frame.argc(); i++) {
      String word = frame.text(i);
      List<String> shown = replaced(word.toLowerCase(Locale.ROOT));
      changed |= shown != null;
      words.addAll(shown == null ? List.of(word) : shown);
    }
    if (!changed) {
      return null;
    }
    byte[] request = WireRequest.of(words);
    return ByteBufAllocator.DEFAULT.directBuffer(request.length).writeBytes(request);
  }

  private static @Nullable List<String> replaced(String word) {
    return switch (word) {
      case COUNTS_KEYS -> List.of(""); // selects nothing
      case "default" -> DEFAULT;
      case "all", "everything" -> {
        List<String> all = new ArrayList<>(DEFAULT);
        all.addAll(MORE);
        if (word.equals("all")) {
          all.remove("modules");
        }
        yield all;
      }
      default -> null;
    };
  }
}
