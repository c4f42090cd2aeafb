package io.penstock.server.it;

import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.awaitility.core.ConditionTimeoutException;

/** Runs a script against one target and records the replies. Not thread-safe. */
final class ScriptRun implements AutoCloseable {

  private static final int MAX_CURSORS = 10_000;

  /** A reply, with the line of the script and the last request of its connection. */
  record RecordedReply(String line, String request, String reply) {}

  private final Target target;
  private final int protocol;
  private final Map<String, RespClient> connections = new HashMap<>();
  private final Map<String, String> lastRequests = new HashMap<>();
  private final List<RecordedReply> replies = new ArrayList<>();

  private ScriptRun(Target target, int protocol) {
    this.target = target;
    this.protocol = protocol;
  }

  /** Runs a script without any data. A failed connection ends it and is recorded as a reply. */
  static List<RecordedReply> of(Script script, Target target, int protocol) {
    target.clean();
    try (ScriptRun run = new ScriptRun(target, protocol)) {
      run.connection("");
      for (Script.Step step : script.steps()) {
        if (!run.play(step)) {
          break;
        }
      }
      return run.replies;
    }
  }

  private boolean play(Script.Step step) {
    try {
      perform(step);
      return true;
    } catch (UncheckedIOException e) {
      note(step, "(" + e.getCause() + ")");
      return false;
    } catch (ConditionTimeoutException e) {
      note(step, "(no client is blocked)");
      return false;
    }
  }

  private void perform(Script.Step step) {
    switch (step.action()) {
      case Script.Action.Call(int replies) -> {
        send(step);
        for (int i = 0; i < replies; i++) {
          note(step, connection(step.connection()).read());
        }
      }
      case Script.Action.Scan() ->
          replies.add(new RecordedReply(step.line(), "all of " + step.request(), scan(step)));
      case Script.Action.Blocked(int clients) -> target.awaitBlocked(clients);
      case Script.Action.End() -> note(step, connection(step.connection()).readToEnd() + "(end)");
      case Script.Action.Close() -> {
        connection(step.connection()).close();
        connections.remove(step.connection());
      }
    }
  }

  private void send(Script.Step step) {
    if (!step.words().isEmpty()) {
      lastRequests.put(step.connection(), step.request());
      connection(step.connection())
          .write(Wire.requestBytes(step.words().toArray(byte[][]::new)))
          .flush();
    }
  }

  private String scan(Script.Step step) {
    List<byte[]> words = new ArrayList<>(step.words());
    int at = 1;
    while (!Wire.text(words.get(at)).equals("0")) {
      at++;
    }
    TreeSet<String> elements = new TreeSet<>();
    for (int i = 0; i < MAX_CURSORS; i++) {
      Reply reply = Reply.parse(connection(step.connection()).call(words.toArray(byte[][]::new)));
      if (reply.elements().size() != 2) {
        return reply.bytes();
      }
      reply.elements().get(1).elements().forEach(e -> elements.add(e.bytes()));
      String cursor = reply.elements().getFirst().text();
      if (cursor.equals("0")) {
        return String.join("", elements);
      }
      words.set(at, Wire.bytes(cursor));
    }
    return "(no end after " + MAX_CURSORS + " cursors)";
  }

  private void note(Script.Step step, String reply) {
    String request = lastRequests.getOrDefault(step.connection(), step.request());
    replies.add(
        new RecordedReply(step.line(), step.words().isEmpty() ? request : step.request(), reply));
  }

  private RespClient connection(String name) {
    return connections.computeIfAbsent(name, _ -> target.connect(protocol));
  }

  @Override
  public void close() {
    connections.values().forEach(RespClient::close);
  }
}
