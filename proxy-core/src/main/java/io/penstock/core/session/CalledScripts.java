package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.ScanResult;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The scripts that a transaction calls by their digests. Once {@code EXEC} has been sent it is too
 * late to load what its node lacks, so the node is given those that are known here just before.
 */
final class CalledScripts {

  private final Scripts known;
  private final Set<String> digests = new LinkedHashSet<>();

  /**
   * Reads a block, and takes note of the scripts that come with it as if its commands came now.
   *
   * @param buffer borrowed
   */
  CalledScripts(Session session, ByteBuf buffer, int from, int length) {
    known = session.loop().directory().scripts();
    var scanner = new RequestScanner(session.loop().settings().limits());
    var command = new Command(session.loop().servers().commands(), scanner.frame());
    scanner.reset(from);
    while (scanner.scan(buffer, from + length) == ScanResult.REQUEST) {
      CommandSpec spec = command.resolve();
      String digest = Scripts.calledBy(command);
      if (spec != null) {
        session.loop().noteScript(spec, command.frame());
      }
      if (digest != null && known.body(digest) != null) {
        digests.add(digest);
      }
    }
  }

  /** Has those that are known now loaded where {@code call} is about to be sent. */
  void load(Exchange call, Consumer<Exchange> sender) {
    for (String digest : digests) {
      byte[] body = known.body(digest);
      if (body != null) {
        sender.accept(new ScriptLoad(body, call));
      }
    }
  }
}
