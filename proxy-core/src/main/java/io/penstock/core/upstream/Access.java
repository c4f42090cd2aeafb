package io.penstock.core.upstream;

import io.penstock.core.tls.NodeTls;
import org.jspecify.annotations.Nullable;

/**
 * What a connection to a node needs before any request: TLS, authentication and database.
 *
 * @param credentials for {@code AUTH}, or null if the node requires no authentication
 * @param database for {@code SELECT}; 0 sends none
 * @param tls null for a connection without TLS
 */
public record Access(@Nullable Credentials credentials, int database, @Nullable NodeTls tls) {

  /** No credentials, no database and no TLS. */
  public static final Access NONE = new Access(null, 0, null);

  /** Without TLS. */
  public Access(@Nullable Credentials credentials, int database) {
    this(credentials, database, null);
  }

  /** Returns this access with another database to select. */
  public Access withDatabase(int other) {
    return database == other ? this : new Access(credentials, other, tls);
  }

  /** Returns this access without a database to select. */
  public Access withoutDatabase() {
    return withDatabase(0);
  }
}
