package io.penstock.core.directory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.Command;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.script.ScriptFlags;
import io.penstock.core.script.Scripts;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds calls of scripts and functions that declare {@code no-writes}, for {@code CLIENT PAUSE ...
 * WRITE} on one loop. The flags of a script are in its text; those of functions are queried from
 * the nodes at the first call that must wait, once in a pause: no function can be loaded while it
 * lasts. Confined to its loop.
 */
public final class ReadOnlyCalls {

  private static final String LIST = "*2\r\n$8\r\nFUNCTION\r\n$4\r\nLIST\r\n";

  private final Supplier<Scripts> scripts;
  private final Runnable resumeAll;
  private Set<String> functions = Set.of(); // in lower case: servers ignore case
  private boolean queried;
  private int pauses;

  /**
   * @param scripts returns those that clients of the upstream sent
   * @param resumeAll resumes all clients of the loop
   */
  public ReadOnlyCalls(Supplier<Scripts> scripts, Runnable resumeAll) {
    this.scripts = scripts;
    this.resumeAll = resumeAll;
  }

  /** A new pause begins: functions may have changed in between. */
  void reset() {
    functions = Set.of();
    queried = false;
    pauses++;
  }

  /** Returns whether the call is known to declare that it does not write. */
  boolean isReadOnly(CommandSpec spec, Command call, ClientContext client) {
    if (call.argc() < 2) {
      return false;
    }
    RequestFrame frame = call.frame();
    if (spec.has(Trait.RUNS_SCRIPT)) {
      return ScriptFlags.hasNoWrites(frame.buffer(), frame.offset(1), frame.length(1));
    }
    if (spec.has(Trait.RUNS_FUNCTION)) {
      query(client);
      return functions.contains(frame.text(1).toLowerCase(Locale.ROOT));
    }
    String digest = Scripts.calledDigest(call);
    byte[] body = digest == null ? null : scripts.get().body(digest);
    return body != null && ScriptFlags.hasNoWrites(Unpooled.wrappedBuffer(body), 0, body.length);
  }

  /** Returns whether all commands in a block that may write are such calls; borrows the block. */
  public boolean isReadOnlyBlock(ByteBuf block, ClientContext client) {
    return client
        .reader()
        .allMatch(
            block,
            block.readerIndex(),
            block.readableBytes(),
            command -> {
              CommandSpec spec = command.spec();
              return spec == null
                  || !ClientPause.mayWrite(spec)
                  || isReadOnly(spec, command, client);
            });
  }

  private void query(ClientContext client) {
    if (queried) {
      return;
    }
    queried = true;
    int pause = pauses;
    List<Endpoint> masters = client.nodes().masters();
    NodeQuery.send(
        client,
        masters,
        LIST,
        replies -> {
          queried &=
              replies.stream().noneMatch(Objects::isNull); // else the next call queries again
          Set<String> found = found(replies);
          if (pause == pauses && !found.isEmpty()) {
            functions = found;
            resumeAll.run();
          }
        });
  }

  /**
   * Returns the functions that have the flag on every node that has them; none if a node did not
   * answer.
   */
  private static Set<String> found(List<@Nullable String> replies) {
    Map<String, Boolean> all = new HashMap<>();
    for (String reply : replies) {
      if (reply == null) {
        return Set.of();
      }
      if (!reply.startsWith("-")) { // a server without functions
        read(reply, all);
      }
    }
    Set<String> readOnly = new HashSet<>();
    all.forEach((name, declares) -> {
      if (declares) {
        readOnly.add(name);
      }
    });
    return readOnly;
  }

  /** Reads functions, which are listed as {@code name ... description ... flags ...}. */
  private static void read(String reply, Map<String, Boolean> into) {
    List<String> words =
        ReplyStrings.withStatuses(
            Unpooled.wrappedBuffer(reply.getBytes(StandardCharsets.ISO_8859_1)));
    for (int i = 0; i + 4 < words.size(); i++) {
      if (words.get(i).equals("name")
          && words.get(i + 2).equals("description")
          && words.get(i + 4).equals("flags")) {
        boolean declares = false;
        int end = i + 5;
        while (end < words.size() && ScriptFlags.isFlag(words.get(end))) {
          declares |= words.get(end++).equals(ScriptFlags.NO_WRITES);
        }
        into.merge(words.get(i + 1).toLowerCase(Locale.ROOT), declares, Boolean::logicalAnd);
        i = end - 1;
      }
    }
  }
}
