package io.penstock.core.crossslot;

import io.netty.buffer.ByteBuf;
import io.penstock.core.reply.ReplyStrings;
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
  private final List<Integer> numbers = new ArrayList<>(); // of the keys in the command
  private final Map<String, ByteBuf> values = new LinkedHashMap<>(); // by key, as they are set last
  private final Map<String, Old> before = new LinkedHashMap<>(); // of keys that exist
  private boolean suits;
  private boolean wrote;
  private boolean lost;
  private byte @Nullable [] error;
  private @Nullable CallFailure failure;

  /**
   * What a key had before.
   *
   * @param dump what {@code DUMP} replied; a share of the reply
   * @param expiry milliseconds that it lives; not positive for ever
   */
  private record Old(ByteBuf dump, long expiry) {}

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

  /** Adds key {@code i} of the command. */
  void add(ConditionalSet set, int i) {
    numbers.add(i);
    values.put(set.key(i), set.value(i));
  }

  /** Returns a block that sets the keys, but for its {@code EXEC}. */
  List<ByteBuf> queue(ConditionalSet set) {
    return List.of(Requests.of("MULTI"), set.of(numbers));
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

  private ByteBuf ofAllKeys(String command) {
    List<String> words = new ArrayList<>(List.of(command));
    words.addAll(values.keySet());
    return Requests.of(words.toArray(String[]::new));
  }

  /** Watches the keys, and reads what undoing needs. */
  List<ByteBuf> look(boolean ifExist) {
    if (!ifExist) {
      return List.of(ofAllKeys("WATCH"), ofAllKeys("EXISTS"));
    }
    List<ByteBuf> requests = new ArrayList<>();
    requests.add(ofAllKeys("WATCH"));
    for (String key : values.keySet()) {
      requests.add(Requests.of("DUMP", key));
      requests.add(Requests.of("PTTL", key));
    }
    return requests;
  }

  /** Reads the replies to {@link #look}. */
  void seen(List<ByteBuf> replies, boolean ifExist) {
    release();
    failure = null;
    wrote = false;
    lost = false;
    error = Replies.firstError(replies);
    suits = true;
    if (error != null) {
      return;
    }
    if (!ifExist) {
      suits = number(replies.getLast()) == 0;
      return;
    }
    int at = 1;
    for (String key : values.keySet()) {
      ByteBuf one = replies.get(at++);
      long expiry = number(replies.get(at++));
      boolean exists = !ReplyStrings.isNil(one, one.readerIndex());
      suits &= exists;
      if (exists) {
        before.put(key, new Old(one.retainedSlice(), expiry));
      }
    }
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
      List<ByteBuf> elements = Replies.elements(reply);
      error = Replies.firstError(elements);
      wrote = Replies.isOne(elements.getFirst());
      lost = error == null && !wrote;
    }
  }

  /** Watches the keys that were set, and reads them. */
  List<ByteBuf> lookAgain() {
    return List.of(ofAllKeys("WATCH"), ofAllKeys("MGET"));
  }

  /**
   * Returns what gives those keys that nobody has changed since what they had before; empty if
   * there are none.
   *
   * @param replies to {@link #lookAgain}; none is an error
   */
  List<ByteBuf> undo(List<ByteBuf> replies) {
    List<ByteBuf> requests = new ArrayList<>();
    Iterator<ByteBuf> all = Replies.elements(replies.getLast()).iterator();
    for (Map.Entry<String, ByteBuf> each : values.entrySet()) {
      if (all.next().equals(Requests.bulk(each.getValue()))) {
        requests.add(undo(each.getKey()));
      }
    }
    return requests;
  }

  private ByteBuf undo(String key) {
    Old old = before.get(key);
    if (old == null) {
      return Requests.of("DEL", key);
    }
    String expiry = Long.toString(Math.max(0, old.expiry()));
    return Requests.of(List.of("RESTORE", key, expiry), old.dump(), List.of("REPLACE"));
  }

  /** Releases what the keys had before. */
  void release() {
    before.values().forEach(old -> old.dump().release());
    before.clear();
  }

  /** Notes that nothing of what was set stays. */
  void undone() {
    wrote = false;
  }
}
