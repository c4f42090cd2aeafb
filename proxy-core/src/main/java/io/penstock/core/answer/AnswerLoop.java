package io.penstock.core.answer;

import io.penstock.core.client.ClientLog;
import io.penstock.core.command.CommandReplies;
import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.directory.ClientPause;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.upstream.ProxyChain;
import io.penstock.core.users.Users;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The parts that Penstock's own answers share on one event loop.
 *
 * @param proxy the proxy's facts and statistics
 * @param directory all clients of the proxy
 * @param commands replies about the commands that are known now
 * @param access authentication of clients
 * @param pause {@code CLIENT PAUSE} on this loop
 */
public record AnswerLoop(
    ProxyView proxy,
    ClientDirectory directory,
    Supplier<CommandReplies> commands,
    Access access,
    ClientPause pause) {

  /**
   * Authentication of clients.
   *
   * @param passwords for {@code AUTH}
   * @param certificateUsers users that certificates of clients name
   * @param users of clients; null if the password is all there is
   * @param database of clients that select none
   * @param chain the Penstocks that requests of clients pass through
   * @param delayed clients that wait after a failed {@code AUTH}
   * @param clientLog for failures
   * @param counters of the loop
   */
  public record Access(
      Passwords passwords,
      CertificateUsers certificateUsers,
      @Nullable Users users,
      int database,
      ProxyChain chain,
      DelayedClients delayed,
      ClientLog clientLog,
      LoopCounters counters) {}
}
