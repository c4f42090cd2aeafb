package io.penstock.core.spec;

/**
 * What a command does to the keys of one {@link KeySpec}, in the order in which Redis lists the
 * flags.
 */
public enum KeyFlag {
  /** Read-only. */
  RO("RO"),
  /** Read and written. */
  RW("RW"),
  /** Overwritten, the old value not read. */
  OW("OW"),
  /** Removed. */
  RM("RM"),
  ACCESS("access"),
  UPDATE("update"),
  INSERT("insert"),
  DELETE("delete"),
  /** Hashed to a slot like a key, but not a key: a shard channel. */
  NOT_KEY("not_key"),
  /** There may be keys that the spec does not find. */
  INCOMPLETE("incomplete"),
  /** The access to the keys depends on other arguments. */
  VARIABLE_FLAGS("variable_flags");

  private final String wireName;

  KeyFlag(String wireName) {
    this.wireName = wireName;
  }

  /** Returns the name that servers use. */
  public String wireName() {
    return wireName;
  }
}
