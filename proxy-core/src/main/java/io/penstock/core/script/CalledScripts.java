package io.penstock.core.script;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.RequestReader;
import io.penstock.core.command.Command;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The scripts that a transaction calls by digest. After {@code EXEC} was sent it is too late to
 * load a script that the node lacks, so those known to Penstock are loaded just before it.
 */
public final class CalledScripts {

  private final RequestReader reader;
  private final LoopScripts known;
  private final Set<String> digests = new LinkedHashSet<>();

  /**
   * @param known the scripts that clients sent
   */
  public CalledScripts(RequestReader reader, LoopScripts known) {
    this.reader = reader;
    this.known = known;
  }

  /**
   * Finds the scripts that a block of commands calls. Records the scripts that the block contains
   * as if its commands arrived now.
   *
   * @param buffer borrowed
   */
  public void find(ByteBuf buffer, int from, int length) {
    reader.forEach(buffer, from, length, this::find);
  }

  private void find(Command command) {
    CommandSpec spec = command.spec();
    if (spec != null) {
      known.record(spec, command.frame());
    }
    String digest = Scripts.calledDigest(command);
    if (digest != null && known.all().body(digest) != null) {
      digests.add(digest);
    }
  }

  /** Returns those scripts that are known now. */
  public List<byte[]> bodies() {
    List<byte[]> bodies = new ArrayList<>();
    for (String digest : digests) {
      byte[] body = known.all().body(digest);
      if (body != null) {
        bodies.add(body);
      }
    }
    return bodies;
  }

  /** Loads those scripts that are known now where {@code call} is about to be sent. */
  public void load(PlacedExchange call, Consumer<PlacedExchange> sender) {
    for (String digest : digests) {
      byte[] body = known.all().body(digest);
      if (body != null) {
        sender.accept(new ScriptLoad(body, call));
      }
    }
  }
}
