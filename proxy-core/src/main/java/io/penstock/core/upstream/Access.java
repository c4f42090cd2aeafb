package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What a connection to a server tells it before anything else.
 *
 * @param credentials for {@code AUTH}, or null where the server asks for none
 * @param database selected after that; 0 for none
 */
public record Access(@Nullable Credentials credentials, int database) {

  /** Neither a password nor a database. */
  public static final Access NONE = new Access(null, 0);

  /** The same without a database to select. */
  public Access withoutDatabase() {
    return database == 0 ? this : new Access(credentials, 0);
  }
}
