package io.penstock.core.spec;

/**
 * What the copies of an upstream with mirrored writes get for a command, after the primary has run
 * it. {@code handling.table} says which command has which, with {@code -} between words. A command
 * that fails at the primary has no effect at the copies, except {@link #SCRIPT}.
 */
public enum Mirrored {
  /** Nothing: it writes no data. Also any command with the flag {@code readonly}. */
  NOTHING,
  /** {@code SELECT}: nothing, but within a transaction the request. */
  DATABASE,
  /** Rejected: what it does cannot be copied, or is not known. */
  REFUSED,

  /** The request itself. */
  AS_IS,
  /** The request, if its reply is an integer above 0 or true: otherwise it did nothing. */
  AS_IS_IF_POSITIVE,
  /** The request, unless its reply is null: then it did nothing. */
  AS_IS_UNLESS_NULL,
  /** The request, if it names a second key, in which it stores its result. */
  AS_IS_IF_STORED,

  /** {@code SET} without conditions, with the absolute deadline that the key has afterwards. */
  SET,
  /** {@code SET} with the absolute deadline; the call has the duration before the value. */
  SET_FOR,
  /** {@code MSETEX} without conditions, with the absolute deadline. */
  SET_ALL_FOR,
  /** {@code SET … KEEPTTL} with the result. */
  SET_RESULT,
  /** {@code HSET} of one field with the result; the field keeps its deadline. */
  SET_FIELD_RESULT,
  /** {@code DEL}, if the reply says that the key was deleted. */
  DELETE,
  /**
   * {@code PEXPIREAT}, {@code PERSIST} or {@code DEL}: the deadline that the key has afterwards.
   */
  DEADLINE,
  /** {@code RESTORE … ABSTTL} with the deadline that the key has afterwards. */
  RESTORE,
  /** {@code HPEXPIREAT} or {@code HDEL} of the fields that the reply says were changed. */
  FIELD_DEADLINE,
  /** The same, or {@code HPERSIST}, of a call that reads the fields. */
  READ_FIELD_DEADLINE,
  /** {@code HSETEX} without conditions, with the absolute deadline. */
  SET_FIELDS_FOR,

  /** {@code SREM} of the members in the reply. */
  REMOVE_MEMBERS,
  /** {@code LPOP} of the list in the reply. */
  POP_FIRST,
  /** {@code RPOP} of the list in the reply. */
  POP_LAST,
  /**
   * {@code LPOP} or {@code RPOP}, as the argument after the keys says, of the list in the reply.
   */
  POP_ELEMENTS,
  /** {@code ZREM} of the member in the reply. */
  REMOVE_SCORED,
  /** {@code ZREM} of the members in the reply. */
  REMOVE_ALL_SCORED,
  /** {@code LMOVE} with the same arguments, without the timeout. */
  MOVE_ELEMENT,
  /** {@code RPOPLPUSH} with the same arguments, without the timeout. */
  MOVE_LAST_ELEMENT,

  /** {@code XADD} with the id that it made, and exactly the trimming that it did. */
  ADD_ENTRY,
  /** {@code XTRIM} with exactly the trimming that it did. */
  TRIM_ENTRIES,
  /** {@code XCLAIM} of the entries that it claimed, {@code XACK} of those that are gone. */
  CLAIM,
  /** The same, from a reply that says which entries are gone. */
  CLAIM_IDLE,
  /** {@code XREADGROUP} of each stream that it read, with the number of entries. */
  READ_GROUP,

  /** The keys that it declares, copied again whole, whatever its reply is. */
  SCRIPT;

  /** Returns the error for a request that is {@link #REFUSED}. */
  public static String refusal(CommandSpec spec) {
    return "ERR "
        + spec.displayName()
        + " is not supported by an upstream with copies: what it writes cannot be copied";
  }

  /** Returns the error for a call of a {@link #SCRIPT} that declares no keys. */
  public static String keylessRefusal(CommandSpec spec) {
    return "ERR "
        + spec.displayName()
        + " without keys is not supported by an upstream with copies: declare the keys that it"
        + " writes, or use the read-only form of the command";
  }
}
