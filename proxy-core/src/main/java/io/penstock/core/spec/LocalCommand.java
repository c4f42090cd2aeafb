package io.penstock.core.spec;

import java.util.Locale;

/**
 * The commands that Penstock answers itself. The name of a constant is the command's, with {@code
 * _} between words, unless {@code handling.table} gives another.
 */
public enum LocalCommand {
  PING(Area.CONNECTION),
  ECHO(Area.CONNECTION),
  QUIT(Area.CONNECTION),
  RESET(Area.CONNECTION),
  HELLO(Area.CONNECTION),
  AUTH(Area.CONNECTION),
  SELECT(Area.CONNECTION),
  CLIENT_ID(Area.CONNECTION),
  CLIENT_GETNAME(Area.CONNECTION),
  CLIENT_SETNAME(Area.CONNECTION),
  CLIENT_SETINFO(Area.CONNECTION),
  CLIENT_INFO(Area.CONNECTION),
  CLIENT_UNBLOCK(Area.CLIENTS),
  CLIENT_REPLY(Area.CONNECTION),
  CLIENT_NO_EVICT(Area.CONNECTION),
  CLIENT_NO_TOUCH(Area.CONNECTION),
  ACL_WHOAMI(Area.CONNECTION),
  CLIENT_CAPA(Area.CONNECTION),
  CLIENT_IMPORT_SOURCE(Area.CONNECTION),
  CLIENT_LIST(Area.CLIENTS),
  CLIENT_KILL(Area.CLIENTS),
  CLIENT_PAUSE(Area.CLIENTS),
  CLIENT_UNPAUSE(Area.CLIENTS),
  ACL_CAT(Area.USERS),
  ACL_DELUSER(Area.USERS),
  ACL_DRYRUN(Area.USERS),
  ACL_GENPASS(Area.USERS),
  ACL_GETUSER(Area.USERS),
  ACL_HELP(Area.USERS),
  ACL_LIST(Area.USERS),
  ACL_LOAD(Area.USERS),
  ACL_LOG(Area.USERS),
  ACL_SAVE(Area.USERS),
  ACL_SETUSER(Area.USERS),
  ACL_USERS(Area.USERS),
  CLIENT_CACHING(Area.TRACKING),
  CLIENT_GETREDIR(Area.TRACKING),
  CLIENT_TRACKING(Area.TRACKING),
  CLIENT_TRACKINGINFO(Area.TRACKING),
  CONFIG_GET(Area.SERVER),
  INFO(Area.SERVER),
  ROLE(Area.SERVER),
  ASKING(Area.CLUSTER),
  READONLY(Area.CLUSTER),
  READWRITE(Area.CLUSTER),
  CLUSTER_COUNT_FAILURE_REPORTS(Area.CLUSTER),
  CLUSTER_COUNTKEYSINSLOT(Area.CLUSTER),
  CLUSTER_GETKEYSINSLOT(Area.CLUSTER),
  CLUSTER_HELP(Area.CLUSTER),
  CLUSTER_INFO(Area.CLUSTER),
  CLUSTER_KEYSLOT(Area.CLUSTER),
  CLUSTER_LINKS(Area.CLUSTER),
  CLUSTER_MYID(Area.CLUSTER),
  CLUSTER_MYSHARDID(Area.CLUSTER),
  CLUSTER_NODES(Area.CLUSTER),
  CLUSTER_REPLICAS(Area.CLUSTER),
  CLUSTER_SHARDS(Area.CLUSTER),
  CLUSTER_SLAVES(Area.CLUSTER),
  CLUSTER_SLOTS(Area.CLUSTER),
  /** Every other subcommand of {@code CLUSTER}: these administer a cluster. */
  CLUSTER_OTHER(Area.CLUSTER),
  COMMAND(Area.CONNECTION),
  COMMAND_COUNT(Area.CONNECTION),
  COMMAND_INFO(Area.CONNECTION),
  COMMAND_LIST(Area.CONNECTION),
  COMMAND_GETKEYS(Area.CONNECTION),
  MULTI(Area.TRANSACTION),
  EXEC(Area.TRANSACTION),
  WAIT(Area.REPLICATION),
  WAITAOF(Area.REPLICATION),
  UNWATCH(Area.TRANSACTION),
  DISCARD(Area.TRANSACTION),
  SUBSCRIBE(Area.SUBSCRIPTION),
  UNSUBSCRIBE(Area.SUBSCRIPTION),
  PSUBSCRIBE(Area.SUBSCRIPTION),
  PUNSUBSCRIBE(Area.SUBSCRIPTION),
  SSUBSCRIBE(Area.SUBSCRIPTION),
  SUNSUBSCRIBE(Area.SUBSCRIPTION);

  /** The kind of handler that answers it. */
  public enum Area {
    /** The client's own connection, and the command table. */
    CONNECTION,
    /** Acknowledgements by replicas and by disks. */
    REPLICATION,
    /** Transactions. */
    TRANSACTION,
    /** The client's subscriptions. */
    SUBSCRIPTION,
    /** All clients. */
    CLIENTS,
    /** The users of Penstock. */
    USERS,
    /** Client-side caching. */
    TRACKING,
    /** Penstock as a server. */
    SERVER,
    /** The cluster that Penstock may present to clients. */
    CLUSTER
  }

  private final Area area;

  LocalCommand(Area area) {
    this.area = area;
  }

  public Area area() {
    return area;
  }

  /**
   * Returns the constant for a command's name.
   *
   * @throws IllegalArgumentException if Penstock does not answer that command itself
   */
  public static LocalCommand named(String command) {
    return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_').replace('-', '_'));
  }
}
