package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The scripts that a transaction calls by their digests. Once {@code EXEC} has been sent it is too
 * late to load what its node lacks, so the node is given those that are known here just before.
 */
public final class CalledScripts {

  private final RequestReader reader;
  private final LoopScripts known;
  private final Set<String> digests = new LinkedHashSet<>();

  /**
   * @param known that clients brought
   */
  public CalledScripts(RequestReader reader, LoopScripts known) {
    this.reader = reader;
    this.known = known;
  }

  /**
   * Reads a block, and takes note of the scripts that come with it as if its commands came now.
   *
   * @param buffer borrowed
   */
  public void find(ByteBuf buffer, int from, int length) {
    reader.forEach(buffer, from, length, this::look);
  }

  private void look(Command command) {
    CommandSpec spec = command.spec();
    if (spec != null) {
      known.record(spec, command.frame());
    }
    String digest = Scripts.calledDigest(command);
    if (digest != null && known.all().body(digest) != null) {
      digests.add(digest);
    }
  }

  /** Has those that are known now loaded where {@code call} is about to be sent. */
  public void load(Exchange call, Consumer<Exchange> sender) {
    for (String digest : digests) {
      byte[] body = known.all().body(digest);
      if (body != null) {
        sender.accept(new ScriptLoad(body, call));
      }
    }
  }
}
