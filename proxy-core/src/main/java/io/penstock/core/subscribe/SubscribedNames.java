package io.penstock.core.subscribe;

import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The names that one client is subscribed to, and an estimate of the memory that they take here and
 * in the hub. {@code MemoryCountTest} compares the estimate with the heap. Confined to its loop.
 */
final class SubscribedNames {

  /** Bytes of overhead per name. */
  private static final long OVERHEAD = 416;

  /** Bytes of overhead per name and master, if the name is subscribed to at every master. */
  private static final long MASTER_OVERHEAD = 192;

  private final Map<Kind, Map<Name, Boolean>> names =
      new EnumMap<>(Kind.class); // value: whether subscribed to at every master
  private long size;
  private long onEveryMaster;

  SubscribedNames() {
    for (Kind kind : Kind.values()) {
      names.put(kind, new LinkedHashMap<>());
    }
  }

  private Map<Name, Boolean> known(Kind kind) {
    return Objects.requireNonNull(names.get(kind));
  }

  boolean contains(Kind kind, Name name) {
    return known(kind).containsKey(name);
  }

  int count(Kind kind) {
    return known(kind).size();
  }

  int count() {
    return count(Kind.CHANNEL) + count(Kind.PATTERN) + count(Kind.SHARD);
  }

  boolean isEmpty() {
    return count() == 0;
  }

  /** Returns the names in the order in which they were added. */
  List<Name> of(Kind kind) {
    return List.copyOf(known(kind).keySet());
  }

  /** Estimated memory of a name in bytes. */
  static long sizeOf(Name name) {
    return name.length() + OVERHEAD;
  }

  /**
   * Estimated memory of all names in bytes.
   *
   * @param masters the number of masters
   */
  long size(int masters) {
    return size + onEveryMaster * masters * MASTER_OVERHEAD;
  }

  /**
   * Adds a name, if it is not there.
   *
   * @param everyMaster whether the name is subscribed to at every master
   */
  void add(Kind kind, Name name, boolean everyMaster) {
    if (known(kind).putIfAbsent(name, everyMaster) == null) {
      size += sizeOf(name);
      onEveryMaster += everyMaster ? 1 : 0;
    }
  }

  void remove(Kind kind, Name name) {
    Boolean everyMaster = known(kind).remove(name);
    if (everyMaster != null) {
      size -= sizeOf(name);
      onEveryMaster -= everyMaster ? 1 : 0;
    }
  }
}
