package io.penstock.core.answer;

import io.penstock.core.client.ClientLog;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.observe.LoopCounters;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What Penstock's own answers take from the loop.
 *
 * @param proxy what clients are told of the proxy as a server
 * @param directory of all clients
 * @param commands replies about commands, as they are known now
 * @param access what clients must tell first
 * @param pause of the loop
 */
public record AnswerLoop(
    ProxyView proxy,
    ClientDirectory directory,
    Supplier<CommandReplies> commands,
    Access access,
    ClientPause pause) {

  /**
   * What clients must tell first, and what follows if they are wrong.
   *
   * @param password what clients must {@code AUTH} with, or null
   * @param database the one that clients are in
   * @param delayed clients that have to wait
   * @param clientLog for the log
   * @param counters of the loop
   */
  public record Access(
      @Nullable String password,
      int database,
      DelayedClients delayed,
      ClientLog clientLog,
      LoopCounters counters) {}
}
