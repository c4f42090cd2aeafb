package io.penstock.core.backend;

import org.jspecify.annotations.Nullable;

/**
 * Which of a node's connections an exchange needs: those with its database selected, and those on
 * which a replica may be read or not. Immutable.
 */
public final class ConnectionKey {

  /** Stands for the upstream's own database. */
  public static final int DEFAULT_DATABASE = -1;

  /** The highest number of a database. */
  public static final int MAX_DATABASE = (1 << 30) - 2;

  private static final int NO_DATABASE = -2;

  /** The connections that most exchanges use: the upstream's own database, no reads of replicas. */
  public static final ConnectionKey PLAIN = ofDatabase(DEFAULT_DATABASE);

  /**
   * No database in particular: the exchange selects one itself before anything else. These
   * connections carry only such exchanges, so each of them may leave any database selected.
   */
  public static final ConnectionKey ANY_DATABASE = ofDatabase(NO_DATABASE);

  private final int database;
  private final boolean replicaReads;
  private final ConnectionKey sibling; // the same database, with the other kind of reads

  private ConnectionKey(int database) {
    this.database = database;
    this.replicaReads = false;
    this.sibling = new ConnectionKey(this);
  }

  private ConnectionKey(ConnectionKey forMaster) {
    this.database = forMaster.database;
    this.replicaReads = true;
    this.sibling = forMaster;
  }

  /**
   * Returns the connections of a database, for exchanges that do not read from replicas.
   *
   * @param database its number; {@link #DEFAULT_DATABASE} for the upstream's own, which no other
   *     number may stand for
   */
  public static ConnectionKey ofDatabase(int database) {
    return new ConnectionKey(database);
  }

  /** Returns the connections on which replicas are read, with the same database. */
  public ConnectionKey forReplicaReads() {
    return replicaReads ? this : sibling;
  }

  /** Returns the connections on which no replica is read, with the same database. */
  public ConnectionKey forMaster() {
    return replicaReads ? sibling : this;
  }

  /** The number of the database, or {@link #DEFAULT_DATABASE}; less than that for none. */
  public int database() {
    return database;
  }

  /** Returns whether the node may be one that only reads are sent to. */
  public boolean readsReplica() {
    return replicaReads;
  }

  /** Returns whether it is equal to {@link #PLAIN}. */
  public boolean isPlain() {
    return database == DEFAULT_DATABASE && !replicaReads;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConnectionKey that
        && that.database == database
        && that.replicaReads == replicaReads;
  }

  @Override
  public int hashCode() {
    return 2 * database + (replicaReads ? 1 : 0);
  }

  @Override
  public String toString() {
    return "ConnectionKey[" + database + (replicaReads ? ", replica reads]" : "]");
  }
}
