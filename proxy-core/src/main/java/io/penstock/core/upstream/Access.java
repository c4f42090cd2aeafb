package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What a connection to a node needs before any request: TLS, authentication and database.
 *
 * @param credentials for {@code AUTH}, or null if the node requires no authentication
 * @param database for {@code SELECT}; 0 sends none
 * @param transport what comes before Redis's protocol
 */
public record Access(@Nullable Credentials credentials, int database, NodeTransport transport) {

  /** No credentials, no database and no TLS. */
  public static final Access NONE = new Access(null, 0);

  /** Without TLS. */
  public Access(@Nullable Credentials credentials, int database) {
    this(credentials, database, NodeTransport.PLAIN);
  }

  /** Returns this access with another database to select. */
  public Access withDatabase(int other) {
    return database == other ? this : new Access(credentials, other, transport);
  }

  /** Returns this access without a database to select. */
  public Access withoutDatabase() {
    return withDatabase(0);
  }
}
