package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What a connection to a node sends before any request: authentication and database.
 *
 * @param credentials for {@code AUTH}, or null if the node requires no authentication
 * @param database for {@code SELECT}; 0 sends none
 */
public record Access(@Nullable Credentials credentials, int database) {

  /** No credentials and no database. */
  public static final Access NONE = new Access(null, 0);

  /** Returns this access with another database to select. */
  public Access withDatabase(int other) {
    return database == other ? this : new Access(credentials, other);
  }

  /** Returns this access without a database to select. */
  public Access withoutDatabase() {
    return withDatabase(0);
  }
}
