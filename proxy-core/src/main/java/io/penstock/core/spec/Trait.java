package io.penstock.core.spec;

/**
 * A fact about single commands by which Penstock decides. {@code handling.table} says which
 * commands have it, with {@code -} between words.
 */
public enum Trait {
  /** It changes parameters; Penstock has such parameters too. */
  SETS_PARAMETERS,

  /** It resets statistics; Penstock has statistics too. */
  RESETS_STATISTICS,

  /** It runs the script in argument 1. */
  RUNS_SCRIPT,

  /** It runs the script that has the digest in argument 1. */
  RUNS_DIGEST,

  /** It runs the function that argument 1 names. */
  RUNS_FUNCTION,

  /** It loads the script in argument 2. */
  LOADS_SCRIPT,

  /** It makes servers forget scripts. */
  FLUSHES_SCRIPTS,

  /**
   * It may write without the flag {@code write}: CMD_MAY_REPLICATE in Redis's source, which {@code
   * COMMAND} does not report. A script or function that declares {@code no-writes} does not write.
   */
  MAY_REPLICATE,

  /**
   * It may publish messages. {@code EXEC} has this trait because the commands of a transaction are
   * not examined.
   */
  MAY_PUBLISH,

  /** It begins or ends a transaction, and has no keys. */
  ENCLOSES_TRANSACTION,

  /** Servers wake a client that it blocks when its key is deleted. */
  WOKEN_BY_DELETION,

  /**
   * It reads what each node keeps for itself: when a key was last used, how it is encoded, how long
   * a consumer has been idle, how the elements of a vector set are linked.
   */
  READS_NODE_STATE,

  /** Servers with the same data may give other replies, though no tip says so. */
  REPLY_VARIES,

  /** Its reply has the same elements in any order, though no tip says so. */
  REPLY_IN_ANY_ORDER,

  /**
   * Two elements of its reply in a row belong together, as field and value; the pairs come in any
   * order.
   */
  REPLY_OF_PAIRS,

  /**
   * It is known if no node has it, too. By {@code CLIENT SETINFO} clients tell what they are, which
   * operators want to know with any server.
   */
  ALWAYS_KNOWN,

  /** Only the option {@code GET} makes it read its key, which it writes. */
  READS_KEY_IF_GET,

  /** It writes its key, which it reads, unless all of its operations are {@code GET}. */
  WRITES_KEY_UNLESS_GET,

  /** Its first argument is a channel. */
  NAMES_CHANNEL,

  /** All of its arguments are channels, and it needs permission for them. */
  NAMES_CHANNELS,

  /** All of its arguments are patterns of channels, and it needs permission for them. */
  NAMES_CHANNEL_PATTERNS,

  /**
   * It is about the users of servers. With users of its own, Penstock answers it itself: {@link
   * LocalCommand} has the answer.
   */
  ABOUT_USERS,

  /** Valkey rejects it within a transaction from 8.0 on; Redis says so in another way. */
  NOT_QUEUED_SINCE_VALKEY_8,

  /** Valkey rejects it within a transaction from 9.0 on; Redis never does. */
  NOT_QUEUED_SINCE_VALKEY_9
}
