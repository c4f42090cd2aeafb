package io.penstock.core.command;

import java.util.Locale;

/**
 * The commands that Penstock answers itself. A constant's name is the command's, words joined by
 * {@code _}, where {@code handling.table} gives no other.
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
  CLIENT_LIST(Area.CLIENTS),
  CLIENT_KILL(Area.CLIENTS),
  CLIENT_PAUSE(Area.CLIENTS),
  CLIENT_UNPAUSE(Area.CLIENTS),
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
  /** Every other subcommand of {@code CLUSTER}: they administer. */
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

  /** By what kind of handler it is answered. */
  public enum Area {
    /** About the client's own connection, and about commands. */
    CONNECTION,
    /** What replicas have got, and disks. */
    REPLICATION,
    /** Beginning and ending of transactions. */
    TRANSACTION,
    /** What the client listens to. */
    SUBSCRIPTION,
    /** About all clients. */
    CLIENTS,
    /** About client-side caching. */
    TRACKING,
    /** About Penstock as a server. */
    SERVER,
    /** About the cluster that Penstock may look like. */
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
   * The constant for a command's name.
   *
   * @throws IllegalArgumentException when Penstock does not answer that command itself
   */
  static LocalCommand named(String command) {
    return valueOf(command.toUpperCase(Locale.ROOT).replace('|', '_').replace('-', '_'));
  }
}
