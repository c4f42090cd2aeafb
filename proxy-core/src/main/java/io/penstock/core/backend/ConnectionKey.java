package io.penstock.core.backend;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Which of a node's connections an exchange needs: those with its database selected, those on which
 * a replica may be read or not, and those on which a client's own user is authenticated. Immutable.
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
  private final @Nullable Login login;
  private final ConnectionKey sibling; // the same, with the other kind of reads

  /**
   * A user as which connections authenticate in place of the upstream's own. Immutable.
   *
   * @param password as the client gave it
   */
  public record Login(String user, String password) {

    @Override
    public String toString() {
      return "Login[user=" + user + ", password=***]";
    }
  }

  private ConnectionKey(int database, @Nullable Login login) {
    this.database = database;
    this.login = login;
    this.replicaReads = false;
    this.sibling = new ConnectionKey(this);
  }

  private ConnectionKey(ConnectionKey forMaster) {
    this.database = forMaster.database;
    this.login = forMaster.login;
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
    return new ConnectionKey(database, null);
  }

  /** Returns the connections of another database, with the same user, for a master. */
  public ConnectionKey withDatabase(int other) {
    return new ConnectionKey(other, login);
  }

  /** Returns {@link #ANY_DATABASE} with the same user. */
  public ConnectionKey withAnyDatabase() {
    return login == null ? ANY_DATABASE : withDatabase(NO_DATABASE);
  }

  /** Returns the connections of another user, with the same database, for a master. */
  public ConnectionKey withLogin(@Nullable Login other) {
    return Objects.equals(login, other) ? forMaster() : new ConnectionKey(database, other);
  }

  /** Returns the user that is authenticated on them; null for the upstream's own. */
  public @Nullable Login login() {
    return login;
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
    return database == DEFAULT_DATABASE && !replicaReads && login == null;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ConnectionKey that
        && that.database == database
        && that.replicaReads == replicaReads
        && Objects.equals(that.login, login);
  }

  @Override
  public int hashCode() {
    int number = 2 * database + (replicaReads ? 1 : 0);
    return login == null ? number : 31 * number + login.hashCode();
  }

  @Override
  public String toString() {
    String user = login == null ? "" : ", user " + login.user();
    return "ConnectionKey[" + database + (replicaReads ? ", replica reads" : "") + user + "]";
  }
}
