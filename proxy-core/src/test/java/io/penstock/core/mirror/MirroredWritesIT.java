package io.penstock.core.mirror;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.Requests;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Mirrored;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Runs the calls of {@code mirrored-writes.txt} at a primary, sends their effects to a copy that
 * stores data in another way, and compares both, key by key, and with the primary's replica.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MirroredWritesIT {

  private static final Set<Mirrored> NOT_COPIED =
      Set.of(Mirrored.NOTHING, Mirrored.DATABASE, Mirrored.REFUSED);

  private final CommandTable table = CommandTable.load();
  private final Set<String> known = new HashSet<>();
  private final Set<String> copied = new TreeSet<>();
  private final List<ByteBuf> replies = new ArrayList<>();
  private final List<AutoCloseable> open = new ArrayList<>();
  private RespClient primary;
  private RespClient copy;
  private RespClient watched; // the primary, in RESP2
  private Contents ofPrimary;
  private Contents ofCopy;
  private Contents ofReplica;
  private boolean fieldsMayExpire;
  private @Nullable MirroredBlock block;

  @BeforeAll
  void start() {
    ServerProcess first =
        opened(
            ServerProcess.builder()
                .option("stream-node-max-entries", "4")
                .option("repl-diskless-sync-delay", "0")
                .start());
    ServerProcess second =
        opened(
            ServerProcess.builder()
                .option("stream-node-max-entries", "7")
                .option("set-max-intset-entries", "2")
                .option("hash-max-listpack-entries", "1")
                .option("zset-max-listpack-entries", "1")
                .option("list-max-listpack-size", "2")
                .start());
    ServerProcess third =
        opened(
            ServerProcess.builder()
                .option("replicaof", first.host(), Integer.toString(first.port()))
                .start());
    await().until(() -> third.text("INFO", "replication").contains("master_link_status:up"));
    primary = opened(first.connect());
    copy = opened(second.connect());
    watched = opened(first.connect());
    for (Object name : (List<?>) requireNonNull(watched.value("COMMAND", "LIST"))) {
      known.add(Contents.text(name).toLowerCase(Locale.ROOT));
    }
    fieldsMayExpire = known.contains("hsetex");
    boolean deadlines = known.contains("hpexpiretime");
    ofPrimary = new Contents(watched, deadlines);
    ofCopy = new Contents(opened(second.connect()), deadlines);
    ofReplica = new Contents(opened(third.connect()), deadlines);
  }

  private <T extends AutoCloseable> T opened(T resource) {
    open.addFirst(resource);
    return resource;
  }

  @AfterAll
  void stop() throws Exception {
    for (AutoCloseable resource : open) {
      resource.close();
    }
  }

  @Test
  void theCopyIsEqualAfterEachCall() {
    for (String protocol : List.of("2", "3")) {
      primary.call("HELLO", protocol);
      for (MirroredCases.Case each : MirroredCases.read()) {
        if (each.needs() == null || known.contains(each.needs())) {
          run(each, protocol);
        }
      }
    }

    assertThat(copied).as("commands that had an effect").containsAll(writeCommands());
  }

  @Test
  void theTimeStandsStillWithinATransaction() {
    primary.call("HELLO", "2");
    primary.call("MULTI");
    primary.call("SET", "k", "v", "PX", "1");
    primary.call("EVAL", "for i = 1, 5000000 do end return 'later'", "0");
    primary.call("PEXPIRETIME", "k");

    assertThat(primary.call("EXEC")).matches("\\*3\r\n\\+OK\r\n\\$5\r\nlater\r\n:\\d+\r\n");
  }

  /** Returns the names of commands that the server has and whose calls are copied in some form. */
  private Set<String> writeCommands() {
    Set<String> names = new TreeSet<>();
    for (CommandSpec spec : table.specs()) {
      boolean never = NOT_COPIED.contains(spec.mirrored());
      if (!never && known.contains(spec.name()) && !spec.isContainer()) {
        names.add(spec.name());
      }
    }
    return names;
  }

  private void run(MirroredCases.Case each, String protocol) {
    primary.call("FLUSHALL");
    primary.call("FUNCTION", "FLUSH");
    copy.call("FLUSHALL");
    copy.call("FUNCTION", "FLUSH");
    for (String call : each.calls()) {
      String[] arguments = arguments(call);
      String reply = mirror(arguments);
      replies.forEach(ByteBuf::release);
      replies.clear();
      assertThat(ofCopy.read())
          .as("RESP%s, %s, after: %s -> %s", protocol, each, call, reply.strip())
          .isEqualTo(ofPrimary.read());
    }
    if (!each.own()) {
      primary.call("WAIT", "1", "10000");
      assertThat(likeReplica(ofReplica.read()))
          .as("the replica, %s", each)
          .isEqualTo(likeReplica(ofPrimary.read()));
    }
  }

  /**
   * A server does not tell its replicas how many entries a group has read, nor of consumers without
   * entries.
   */
  private static String likeReplica(Map<String, String> contents) {
    return contents
        .toString()
        .replaceAll("entries-read=\\S+ lag=\\S+ ", "")
        .replaceAll("name=\\w+ pel-count=0 pending=\\[\\] (, )?", "")
        .replace(" , ]", " ]");
  }

  private String[] arguments(String call) {
    String[] words = Requests.words(call);
    for (int i = 0; i < words.length; i++) {
      words[i] = words[i].replace("\\n", "\n").replace("\\s", " ");
      if (words[i].equals("dump:functions")) {
        words[i] = Contents.text(watched.value("FUNCTION", "DUMP"));
      } else if (words[i].startsWith("dump:")) {
        words[i] = Contents.text(watched.value("DUMP", words[i].substring(5)));
      }
    }
    return words;
  }

  /** Runs a call at the primary and sends its effect to the copy. Returns the reply. */
  private String mirror(String[] arguments) {
    if (arguments[0].equals("multi")) {
      block = new MirroredBlock(() -> fieldsMayExpire);
      return primary.call(arguments);
    }
    if (arguments[0].equals("exec")) {
      String reply = primary.call(arguments);
      apply(requireNonNull(block).effect(reply(reply)), arguments);
      block = null;
      return reply;
    }
    RequestFrame frame = Requests.frame(arguments);
    replies.add(frame.buffer());
    CommandSpec spec = requireNonNull(table.find(frame));
    assertThat(MirroredCall.refusal(spec, frame)).isNull();
    return block == null ? mirror(spec, frame, arguments) : queue(block, spec, frame, arguments);
  }

  private String queue(
      MirroredBlock queued, CommandSpec spec, RequestFrame frame, String[] arguments) {
    String reply = primary.call(arguments);
    if (!reply.startsWith("-")) {
      for (CopyRequest question : queued.add(spec, frame)) {
        assertThat(send(primary, question)).isEqualTo("+QUEUED\r\n");
      }
    }
    return reply;
  }

  private String mirror(CommandSpec spec, RequestFrame frame, String[] arguments) {
    MirroredCall call = MirroredCall.of(spec, frame, () -> fieldsMayExpire);
    List<CopyRequest> questions = call.questions();
    String reply;
    List<Reply> answers = new ArrayList<>();
    if (questions.isEmpty()) {
      reply = primary.call(arguments);
    } else {
      primary.call("MULTI");
      reply = primary.call(arguments);
      questions.forEach(question -> send(primary, question));
      String exec = primary.call("EXEC");
      if (!reply.startsWith("-")) {
        answers.addAll(reply(exec).elements());
        reply = Wire.text(answers.removeFirst().slice());
      }
    }
    Effect effect = call.effect(reply(reply).buffer(), answers);
    if (effect != Effect.NOTHING) {
      copied.add(spec.name());
    }
    apply(effect, arguments);
    return reply;
  }

  private void apply(Effect effect, String[] arguments) {
    switch (effect) {
      case Effect.Nothing() -> {}
      case Effect.AsIs() -> copy.call(arguments);
      case Effect.Instead(var requests) -> sendAll(requests);
      case Effect.CopyAgain(var first, var keys) -> {
        sendAll(first);
        keys.forEach(this::copyAgain);
      }
      case Effect.InDatabases _ -> throw new AssertionError("of a block that does not ask");
      case Effect.Unknown() -> throw new AssertionError("unknown");
    }
  }

  private void sendAll(List<CopyRequest> requests) {
    if (!requests.isEmpty()) {
      copy.call("MULTI");
      requests.forEach(request -> send(copy, request));
      assertThat(copy.call("EXEC")).as("%s", requests).startsWith("*").doesNotContain("\n-");
    }
  }

  private void copyAgain(byte[] key) {
    byte[] value = (byte[]) watched.value(Wire.bytes("DUMP"), key);
    String deadline = Contents.text(watched.value(Wire.bytes("PEXPIRETIME"), key));
    if (value == null) {
      copy.value(Wire.bytes("DEL"), key);
    } else {
      byte[] until = Wire.bytes(deadline.equals("-1") ? "0" : deadline);
      copy.value(
          Wire.bytes("RESTORE"), key, until, value, Wire.bytes("REPLACE"), Wire.bytes("ABSTTL"));
    }
  }

  private static String send(RespClient client, CopyRequest request) {
    ByteBuf wire = Unpooled.buffer();
    try {
      request.write(wire);
      assertThat(wire.readableBytes()).isEqualTo(request.size());
      client.write(Wire.text(wire));
    } finally {
      wire.release();
    }
    client.flush();
    return client.read();
  }

  private Reply reply(String text) {
    ByteBuf buffer = Wire.buffer(text);
    replies.add(buffer);
    return Reply.of(buffer);
  }
}
