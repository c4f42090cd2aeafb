package io.penstock.core.spec;

import java.util.Locale;

/** The flags of commands, in the order of Redis's reply to {@code COMMAND}. */
public enum CommandFlag {
  WRITE,
  READONLY,
  DENYOOM,
  MODULE,
  ADMIN,
  PUBSUB,
  NOSCRIPT,
  BLOCKING,
  LOADING,
  STALE,
  SKIP_MONITOR,
  SKIP_SLOWLOG,
  SKIP_COMMANDLOG,
  ASKING,
  FAST,
  NO_AUTH,
  MAY_REPLICATE,
  NO_MANDATORY_KEYS,
  PROTECTED,
  NO_ASYNC_LOADING,
  NO_MULTI,
  MOVABLEKEYS,
  ALLOW_BUSY;

  private final String wireName = name().toLowerCase(Locale.ROOT);

  /** Returns the name that servers use, for example {@code readonly}. */
  public String wireName() {
    return wireName;
  }
}
