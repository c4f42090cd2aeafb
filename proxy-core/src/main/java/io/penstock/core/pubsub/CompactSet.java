package io.penstock.core.pubsub;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A set that keeps insertion order. Most sets have one element and cost only a reference then.
 * Confined to its loop.
 */
final class CompactSet<E> implements Iterable<E> {

  private @Nullable E only;
  private @Nullable Set<E> several;

  /** Returns false if the element is in the set already. */
  boolean add(E element) {
    Set<E> all = several;
    if (all != null) {
      return all.add(element);
    }
    E one = only;
    if (one == null) {
      only = element;
      return true;
    }
    if (one.equals(element)) {
      return false;
    }
    all = new LinkedHashSet<>();
    all.add(one);
    all.add(element);
    several = all;
    only = null;
    return true;
  }

  /** Returns false if the element is not in the set. */
  boolean remove(E element) {
    Set<E> all = several;
    if (all != null) {
      boolean contained = all.remove(element);
      if (all.size() == 1) {
        only = all.iterator().next();
        several = null;
      }
      return contained;
    }
    boolean contained = element.equals(only);
    if (contained) {
      only = null;
    }
    return contained;
  }

  boolean contains(E element) {
    Set<E> all = several;
    return all == null ? element.equals(only) : all.contains(element);
  }

  boolean isEmpty() {
    return only == null && several == null;
  }

  List<E> copy() {
    List<E> copy = new ArrayList<>(1);
    forEach(copy::add);
    return copy;
  }

  @Override
  public Iterator<E> iterator() {
    Set<E> all = several;
    E one = only;
    if (all != null) {
      return all.iterator();
    }
    return one == null ? Collections.emptyIterator() : Collections.singleton(one).iterator();
  }
}
