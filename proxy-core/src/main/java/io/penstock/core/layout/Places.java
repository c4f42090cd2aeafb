package io.penstock.core.layout;

/** From a key's hash to its partition. Immutable, except for the generator of {@link AnyPlace}. */
sealed interface Places permits AnyPlace, Buckets, Modulo, MultiplesTable, Ring {

  /** Returns the partition of a key. Allocates nothing. */
  int at(long hash);
}
