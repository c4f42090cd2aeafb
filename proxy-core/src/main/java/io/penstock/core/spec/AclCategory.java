package io.penstock.core.spec;

import java.util.Locale;

/** The ACL categories of commands, in Redis's order. */
public enum AclCategory {
  KEYSPACE,
  READ,
  WRITE,
  SET,
  SORTEDSET,
  LIST,
  HASH,
  STRING,
  BITMAP,
  HYPERLOGLOG,
  GEO,
  STREAM,
  PUBSUB,
  ADMIN,
  FAST,
  SLOW,
  BLOCKING,
  DANGEROUS,
  CONNECTION,
  TRANSACTION,
  SCRIPTING;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Returns the name that servers use, without the leading {@code @}. */
  public String wireName() {
    return wireName;
  }
}
