package io.penstock.core.waiting;

import io.penstock.core.blocking.BlockingTimeout;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * An {@code XREAD} or {@code XREADGROUP} of several streams, of which requests for one stream are
 * made. Never are these blocking. Characters are bytes.
 */
final class StreamsRequest {

  /** No entry is behind it but the greatest one, which means the same as {@code >}. */
  private static final String GREATEST = "18446744073709551615-18446744073709551614";

  private static final List<Option> OTHER_OPTIONS =
      List.of(
          new Option("count", 1),
          new Option("group", 2),
          new Option("claim", 1),
          new Option("noack", 0));

  /**
   * One of the streams.
   *
   * @param id as the client gave it
   */
  record Stream(String key, int partition, String id) {

    /** Returns whether the id stands for one that is found when the call begins. */
    boolean isRelative() {
      return id.equals("$") || id.equals("+");
    }

    /** Returns whether entries are wanted that no consumer of the group has got. */
    boolean isNew() {
      return id.equals(">");
    }
  }

  private final RequestFrame frame;
  private final CommandSpec spec;
  private final List<Stream> streams = new ArrayList<>();
  private final List<String> head = new ArrayList<>(); // all up to STREAMS, without BLOCK
  private String group = "";
  private @Nullable String block; // its argument, if servers accept it
  private boolean rejected; // servers will reject its argument

  /**
   * @param frame on the heap
   * @param partitions of the arguments that are keys, in their order
   */
  StreamsRequest(RequestFrame frame, CommandSpec spec, Map<Integer, Integer> partitions) {
    this.frame = frame;
    this.spec = spec;
    int firstKey = partitions.keySet().iterator().next();
    partitions.forEach((at, partition) ->
        streams.add(new Stream(frame.text(at), partition, frame.text(at + partitions.size()))));
    int at = 0; // the name of the command is no option
    while (at < firstKey) {
      at = readOption(at, firstKey);
    }
  }

  /** Reads the option at {@code at}. Returns the index of the next one. */
  private int readOption(int at, int firstKey) {
    if (spec.handling() instanceof Handling.BlockingIf blocking
        && Ascii.equalsIgnoreCase(frame, at, blocking.keyword())
        && at + 1 < firstKey) {
      readBlock(at);
      return at + 2;
    }
    int arguments = Math.max(0, Option.arguments(OTHER_OPTIONS, frame, at));
    if (arguments == 2 && at + 2 < firstKey) {
      group = frame.text(at + 1);
    }
    int next = Math.min(firstKey, at + 1 + arguments);
    for (int i = at; i < next; i++) {
      head.add(frame.text(i));
    }
    return next;
  }

  private void readBlock(int at) {
    long millis = Ascii.parseLong(frame, at + 1);
    if (millis < 0) { // also if it is no number
      rejected = true;
      head.add(frame.text(at));
      head.add(frame.text(at + 1));
    } else {
      block = frame.text(at + 1);
    }
  }

  RequestFrame frame() {
    return frame;
  }

  CommandSpec spec() {
    return spec;
  }

  List<Stream> streams() {
    return streams;
  }

  /** Returns whether it reads as a consumer of a group. */
  boolean hasGroup() {
    return spec.isWrite();
  }

  String group() {
    return group;
  }

  /**
   * Returns when it ends by itself; null if it does not block.
   *
   * @param now {@link System#nanoTime()}
   */
  @Nullable BlockingTimeout timeout(long now) {
    String millis = block;
    return millis == null || rejected ? null : new BlockingTimeout(millis, true, now);
  }

  /** Returns whether its timeout is longer than servers can count. */
  boolean hasTimeoutBeyondTheClock() {
    String millis = block;
    return millis != null && Long.parseLong(millis) > Long.MAX_VALUE - System.currentTimeMillis();
  }

  /** Returns the request for one stream. */
  List<String> of(Stream stream, String id) {
    List<String> request = new ArrayList<>(head);
    boolean needsGroup = hasGroup() && group.isEmpty(); // the node rejects it in its words
    request.addAll(
        needsGroup
            ? List.of(stream.key(), stream.key(), id, id) // as long as it must be
            : List.of(stream.key(), id));
    return request;
  }

  /**
   * Returns the request that gets the error of one stream, if there is one, and else nothing: no
   * entry is behind its id.
   */
  List<String> check(Stream stream) {
    boolean plain = stream.isNew() || stream.id().matches("\\d{1,18}(-\\d{1,18})?");
    return of(stream, plain ? GREATEST : stream.id());
  }

  /** Returns the request for the last entry of a stream. */
  static List<String> lastEntry(Stream stream) {
    return List.of("XREVRANGE", stream.key(), "+", "-", "COUNT", "1");
  }
}
