package io.penstock.core.upstream;

/**
 * Which server of a shard a command is sent to. Commands that may write go to the master whatever
 * the policy. A value: the same answer for the same arguments, from any thread, without a call to
 * anybody.
 */
@FunctionalInterface
public interface ReadPolicy {

  /**
   * All commands go to the master. It depends on neither command nor client, so event loops ask it
   * once for each shard of a placement, and not for each command.
   */
  ReadPolicy MASTER_ONLY = (shard, readOnly, client) -> shard.master();

  /**
   * The server to ask.
   *
   * @param shard of the command's keys
   * @param readOnly whether the command cannot write
   * @param client the same number for all commands of one client, which it sticks to one replica by
   */
  Endpoint choose(Shard shard, boolean readOnly, int client);
}
