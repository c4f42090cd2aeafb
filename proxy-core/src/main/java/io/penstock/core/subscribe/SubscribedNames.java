package io.penstock.core.subscribe;

import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The names that one client has subscribed to, and what memory they take, here and in the loop's
 * hub. {@code MemoryCountTest} compares it with the heap. Confined to its loop.
 */
final class SubscribedNames {

  /** Bytes that a name takes beside its own. */
  private static final long AROUND_A_NAME = 416;

  /** Bytes that it takes for each master, where messages come from all of them. */
  private static final long AT_A_MASTER = 192;

  private final Map<Kind, Map<Name, Boolean>> names = new EnumMap<>(Kind.class); // from all masters
  private long size;
  private long everywhere;

  SubscribedNames() {
    for (Kind kind : Kind.values()) {
      names.put(kind, new LinkedHashMap<>());
    }
  }

  private Map<Name, Boolean> known(Kind kind) {
    return Objects.requireNonNull(names.get(kind));
  }

  int count(Kind kind) {
    return known(kind).size();
  }

  boolean isEmpty() {
    return count(Kind.CHANNEL) + count(Kind.PATTERN) + count(Kind.SHARD) == 0;
  }

  /** In the order in which they came. */
  List<Name> of(Kind kind) {
    return List.copyOf(known(kind).keySet());
  }

  /** Bytes that a name takes, about. */
  static long sizeOf(Name name) {
    return name.length() + AROUND_A_NAME;
  }

  /**
   * Bytes that all of them take, about.
   *
   * @param masters how many there are
   */
  long size(int masters) {
    return size + everywhere * masters * AT_A_MASTER;
  }

  /**
   * Adds a name, if it is not there.
   *
   * @param fromAll whether its messages come from every master
   */
  void add(Kind kind, Name name, boolean fromAll) {
    if (known(kind).putIfAbsent(name, fromAll) == null) {
      size += sizeOf(name);
      everywhere += fromAll ? 1 : 0;
    }
  }

  void remove(Kind kind, Name name) {
    Boolean fromAll = known(kind).remove(name);
    if (fromAll != null) {
      size -= sizeOf(name);
      everywhere -= fromAll ? 1 : 0;
    }
  }
}
