package io.penstock.core.upstream;

/**
 * Selects the node of a shard that a command is sent to. Commands that may write go to the master
 * under any policy. A pure function: the same arguments give the same result, on any thread.
 */
@FunctionalInterface
public interface ReadPolicy {

  /**
   * Sends all commands to the master. The result depends on neither command nor client, so event
   * loops call it once per shard of a placement and not per command.
   */
  ReadPolicy MASTER_ONLY = (shard, readOnly, client) -> shard.master();

  /**
   * Returns the node to send the command to.
   *
   * @param shard the shard of the command's keys
   * @param readOnly whether the command cannot write
   * @param client a number that identifies the client, so that its commands can stay on one replica
   */
  Endpoint choose(Shard shard, boolean readOnly, int client);
}
