package io.penstock.core.session;

import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import java.util.Collections;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The names that one client has subscribed to, and what memory they take. Confined to its loop. */
final class SubscribedNames {

  /** Bytes that a name takes beside its own, here and in the loop's hub. */
  private static final int AROUND_A_NAME = 200;

  private final Map<Kind, Set<Name>> names = new EnumMap<>(Kind.class);
  private long size;

  SubscribedNames() {
    for (Kind kind : Kind.values()) {
      names.put(kind, new LinkedHashSet<>());
    }
  }

  private Set<Name> known(Kind kind) {
    return Objects.requireNonNull(names.get(kind));
  }

  /** In the order in which they came. */
  Set<Name> of(Kind kind) {
    return Collections.unmodifiableSet(known(kind));
  }

  /** Bytes that so many names take, about. */
  static long sizeOf(List<Name> names) {
    long sum = 0;
    for (Name name : names) {
      sum += name.length() + AROUND_A_NAME;
    }
    return sum;
  }

  /** Bytes that all of them take, about. */
  long size() {
    return size;
  }

  void add(Kind kind, Name name) {
    if (known(kind).add(name)) {
      size += name.length() + AROUND_A_NAME;
    }
  }

  void remove(Kind kind, Name name) {
    if (known(kind).remove(name)) {
      size -= name.length() + AROUND_A_NAME;
    }
  }

  /** Removes all of a kind, and answers them. */
  List<Name> takeAll(Kind kind) {
    List<Name> all = List.copyOf(known(kind));
    all.forEach(name -> remove(kind, name));
    return all;
  }
}
