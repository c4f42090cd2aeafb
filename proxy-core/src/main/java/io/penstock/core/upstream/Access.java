package io.penstock.core.upstream;

import org.jspecify.annotations.Nullable;

/**
 * What a connection to a node needs before any request: TLS, authentication and database.
 *
 * @param credentials for {@code AUTH}, or null if the node requires no authentication
 * @param database for {@code SELECT}; 0 sends none
 * @param transport what comes before Redis's protocol
 * @param generation counts the servers that one address has meant, one after the other, so that
 *     each is a node of its own; 0 for the first
 */
public record Access(
    @Nullable Credentials credentials, int database, NodeTransport transport, int generation) {

  /** No credentials, no database and no TLS. */
  public static final Access NONE = new Access(null, 0);

  /** Without TLS. */
  public Access(@Nullable Credentials credentials, int database) {
    this(credentials, database, NodeTransport.PLAIN);
  }

  /** For the first server at an address. */
  public Access(@Nullable Credentials credentials, int database, NodeTransport transport) {
    this(credentials, database, transport, 0);
  }

  /** Returns this access to another server at the same address. */
  public Access withGeneration(int number) {
    return generation == number ? this : new Access(credentials, database, transport, number);
  }

  /** Returns this access with another database to select. */
  public Access withDatabase(int other) {
    return database == other ? this : new Access(credentials, other, transport, generation);
  }

  /** Returns this access without a database to select. */
  public Access withoutDatabase() {
    return withDatabase(0);
  }
}
