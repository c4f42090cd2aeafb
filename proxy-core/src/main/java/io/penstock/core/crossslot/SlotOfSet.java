package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.steps.Replies;
import io.penstock.core.steps.WatchedNode;
import io.penstock.core.steps.WatchedNode.CallFailure;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one partition of a {@link ConditionalSet}, and what its node has said so far. The
 * characters of keys and values are bytes. Confined to the client's loop.
 */
final class SlotOfSet {

  private final WatchedNode node;
  private final int partition;
  private final List<String> keysAndValues = new ArrayList<>();
  private final Map<String, String> values = new LinkedHashMap<>(); // as they are set last
  private final Map<String, Old> before = new LinkedHashMap<>(); // of keys that exist
  private boolean suits;
  private boolean wrote;
  private boolean lost;
  private byte @Nullable [] error;
  private @Nullable CallFailure failure;

  /**
   * What a key had before.
   *
   * @param dump as {@code DUMP} gives it
   * @param expiry milliseconds that it lives; not positive for ever
   */
  private record Old(String dump, long expiry) {}

  SlotOfSet(WatchedNode node, int partition) {
    this.node = node;
    this.partition = partition;
  }

  WatchedNode node() {
    return node;
  }

  int partition() {
    return partition;
  }

  void add(String key, String value) {
    keysAndValues.add(key);
    keysAndValues.add(value);
    values.put(key, value);
  }

  List<String> keysAndValues() {
    return keysAndValues;
  }

  /** Whether all keys exist, or none does, as the command wishes. */
  boolean suits() {
    return suits;
  }

  /** Whether the keys were set. */
  boolean wrote() {
    return wrote;
  }

  /** Whether the keys were not set because another client has changed one. */
  boolean lost() {
    return lost;
  }

  /** The error of the node; null for none. */
  byte @Nullable [] error() {
    return error;
  }

  /** Why the last call has no replies; null if it has. */
  @Nullable CallFailure failure() {
    return failure;
  }

  /** Notes that the last call has no replies. */
  void failed(CallFailure why) {
    failure = why;
  }

  private byte[] ofAllKeys(String command) {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(values.keySet());
    return WireRequest.of(words);
  }

  /** Watches the keys, and reads what undoing needs. */
  List<byte[]> look(boolean ifExist) {
    if (!ifExist) {
      return List.of(ofAllKeys("WATCH"), ofAllKeys("EXISTS"));
    }
    List<byte[]> requests = new ArrayList<>();
    requests.add(ofAllKeys("WATCH"));
    for (String key : values.keySet()) {
      requests.add(WireRequest.of("DUMP", key));
      requests.add(WireRequest.of("PTTL", key));
    }
    return requests;
  }

  /** Reads the replies to {@link #look}. Returns the bytes of values. */
  long seen(List<ByteBuf> replies, boolean ifExist) {
    failure = null;
    wrote = false;
    lost = false;
    error = Replies.firstError(replies);
    suits = true;
    before.clear();
    if (error != null) {
      return 0;
    }
    if (!ifExist) {
      suits = number(replies.getLast()) == 0;
      return 0;
    }
    long bytes = 0;
    int at = 1;
    for (String key : values.keySet()) {
      ByteBuf one = replies.get(at++);
      long expiry = number(replies.get(at++));
      boolean exists = !ReplyStrings.isNil(one, one.readerIndex());
      suits &= exists;
      if (exists) {
        before.put(key, new Old(Replies.content(one), expiry));
        bytes += one.readableBytes();
      }
    }
    return bytes;
  }

  private static long number(ByteBuf reply) {
    return Long.parseLong(
        reply.toString(
            reply.readerIndex() + 1, reply.readableBytes() - 3, StandardCharsets.US_ASCII));
  }

  /** Reads the replies to the commands that are queued. */
  void queued(List<ByteBuf> replies) {
    failure = null;
    error = Replies.firstError(replies);
  }

  /** Reads the reply to {@code EXEC}. */
  void executed(ByteBuf reply) {
    failure = null;
    if (Replies.isError(reply)) {
      error = Replies.firstError(List.of(reply));
    } else if (ReplyStrings.isNil(reply, reply.readerIndex())) {
      lost = true;
    } else {
      for (ByteBuf one : Replies.elements(reply)) {
        judge(one);
      }
    }
  }

  /** An element may also be the reply to {@code ASKING}, which is a status. */
  private void judge(ByteBuf element) {
    if (Replies.isError(element)) {
      error = Replies.firstError(List.of(element));
    } else if (element.getByte(element.readerIndex()) == ':') {
      wrote = Replies.isOne(element);
      lost = !wrote;
    }
  }

  /** Watches the keys that were set, and reads them. */
  List<byte[]> lookAgain() {
    return List.of(ofAllKeys("WATCH"), ofAllKeys("MGET"));
  }

  /**
   * Returns what gives those keys that nobody has changed since what they had before; empty if
   * there are none.
   *
   * @param replies to {@link #lookAgain}; none is an error
   */
  List<byte[]> undo(List<ByteBuf> replies) {
    List<byte[]> requests = new ArrayList<>();
    Iterator<ByteBuf> all = Replies.elements(replies.getLast()).iterator();
    for (Map.Entry<String, String> each : values.entrySet()) {
      ByteBuf now = all.next();
      boolean ours =
          now.getByte(now.readerIndex()) == '$'
              && !ReplyStrings.isNil(now, now.readerIndex())
              && Replies.content(now).equals(each.getValue());
      if (ours) {
        requests.add(undo(each.getKey()));
      }
    }
    return requests;
  }

  private byte[] undo(String key) {
    Old old = before.get(key);
    if (old == null) {
      return WireRequest.of("DEL", key);
    }
    String expiry = Long.toString(Math.max(0, old.expiry()));
    return WireRequest.of("RESTORE", key, expiry, old.dump(), "REPLACE");
  }

  /** Notes that nothing of what was set stays. */
  void undone() {
    wrote = false;
  }
}
