package io.penstock.core.answer;

import io.penstock.core.client.ClientNotices;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.observe.LoopCounters;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What Penstock's own answers take from the loop.
 *
 * @param face what clients are told of the proxy as a server
 * @param directory of all clients
 * @param commands replies about commands, as they are known now
 * @param access what clients must tell first
 * @param pause of the loop
 */
public record AnswerSite(
    ServerFace face,
    ClientDirectory directory,
    Supplier<CommandReplies> commands,
    Access access,
    Pause pause) {

  /**
   * What clients must tell first, and what follows if they are wrong.
   *
   * @param password what clients must {@code AUTH} with, or null
   * @param database the one that clients are in
   * @param delayed clients that have to wait
   * @param notices for the log
   * @param counters of the loop
   */
  public record Access(
      @Nullable String password,
      int database,
      DelayedClients delayed,
      ClientNotices notices,
      LoopCounters counters) {}
}
