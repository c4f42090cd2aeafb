package io.penstock.core.session;

import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.client.RequestRules;
import io.penstock.core.client.User;
import io.penstock.core.command.Command;
import io.penstock.core.reply.ReplyRewriter;
import io.penstock.core.spec.CommandSpec;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a user's rules see of requests and replies, and what becomes of them. */
class RequestRulesTest {

  private static final String NOT_PERMITTED = "-NOPERM not this one\r\n";

  private final Rig rig = Rig.cluster();
  private final List<String> seen = new ArrayList<>();
  private final List<String> rewritten = new ArrayList<>();

  @AfterEach
  void close() {
    rig.close();
  }

  /** Rejects FLUSHALL, sends GET x as GET a, and puts all of a reply to GET in capital letters. */
  private final class Rules implements RequestRules {

    @Override
    public byte @Nullable [] rejection(Command request) {
      seen.add(request.frame().text(0));
      return request.argEqualsIgnoreCase(0, "flushall")
          ? NOT_PERMITTED.getBytes(StandardCharsets.US_ASCII)
          : null;
    }

    @Override
    public @Nullable ByteBuf rewrite(Command request) {
      return request.argc() == 2 && request.argEqualsIgnoreCase(1, "x")
          ? Unpooled.directBuffer().writeBytes(Wire.bytes(get("a")))
          : null;
    }

    @Override
    public @Nullable ReplyRewriter rewriterFor(CommandSpec command) {
      return command.name().equals("get") ? new Capitals() : null;
    }
  }

  private final class Capitals implements ReplyRewriter {

    @Override
    public void rewrite(ByteBuf buffer, int from, int to, Output out) {
      byte[] capitals =
          buffer
              .toString(from, to - from, StandardCharsets.US_ASCII)
              .toUpperCase(Locale.ROOT)
              .getBytes(StandardCharsets.US_ASCII);
      rewritten.add(new String(capitals, StandardCharsets.US_ASCII));
      out.append(Unpooled.wrappedBuffer(capitals), 0, capitals.length);
    }

    @Override
    public void end(Output out) {
      rewritten.add("end");
    }

    @Override
    public void reset() {
      // It holds nothing back.
    }
  }

  private Peer clientWithRules() {
    Peer client = rig.client().send(Requests.PING).expect("+PONG\r\n");
    Session session = rig.newestSession();
    rig.onLoop(() -> {
      session.profile().user(new User("app", new Rules()));
      return true;
    });
    return client;
  }

  @Test
  void aRejectedRequestIsAnsweredWithTheErrorOfTheRules() {
    Peer client = clientWithRules();

    client.send(call("FLUSHALL") + set("a", "1"));

    rig.accept(1).expect(set("a", "1")).send("+OK\r\n");
    client.expect(NOT_PERMITTED + "+OK\r\n");
    assertThat(seen).containsExactly("FLUSHALL", "SET");
  }

  @Test
  void aRejectionOfAQueuedCommandAbortsTheTransaction() {
    Peer client = clientWithRules();

    client.send(call("MULTI") + call("FLUSHALL") + call("EXEC"));

    client.expect(
        "+OK\r\n"
            + NOT_PERMITTED
            + "-EXECABORT Transaction discarded because of previous errors.\r\n");
    assertThat(seen).containsExactly("MULTI", "FLUSHALL", "EXEC");
  }

  @Test
  void aRewrittenRequestGoesWhereItsOwnKeysAre() {
    Peer client = clientWithRules();

    client.send(get("x"));

    rig.accept(1).expect(get("a")).send("$-1\r\n");
    client.expect("$-1\r\n");
  }

  @Test
  void aRewrittenCommandOfATransactionIsQueued() {
    Peer client = clientWithRules();

    client.send(call("MULTI") + get("x") + call("EXEC"));

    rig.accept(1)
        .expect(call("MULTI") + get("a") + call("EXEC"))
        .send("+OK\r\n+QUEUED\r\n*1\r\n$1\r\nv\r\n");
    client.expect("+OK\r\n+QUEUED\r\n*1\r\n$1\r\nv\r\n");
  }

  @Test
  void aRequestThatWaitsForEarlierOnesIsSeenOnce() {
    Peer client = clientWithRules();

    client.send(set("a", "1") + call("SUBSCRIBE c"));
    rig.accept(1).expect(set("a", "1")).send("+OK\r\n");
    client.expect("+OK\r\n");

    assertThat(rig.onLoop(() -> List.copyOf(seen))).containsExactly("SET", "SUBSCRIBE");
  }

  @Test
  void aRequestThatWaitsWhileSettingsChangeIsSeenOnce() {
    Peer client = clientWithRules();
    client.send(set("a", "1") + call("SUBSCRIBE c"));
    Peer node = rig.accept(1).expect(set("a", "1"));

    rig.onLoop(() -> {
      rig.sessions().adopt(rig.settings(), rig.routing(), rig.sessions().servers());
      return true;
    });
    node.send("+OK\r\n");
    client.expect("+OK\r\n");

    assertThat(rig.onLoop(() -> List.copyOf(seen))).containsExactly("SET", "SUBSCRIBE");
  }

  @Test
  void theWordQueuedIsNotRewritten() {
    Peer client = clientWithRules();

    client.send(call("MULTI") + call("GET b"));

    client.expect("+OK\r\n+QUEUED\r\n");
    assertThat(rewritten).isEmpty();
  }

  @Test
  void aRewriterIsToldOfTheEndOfItsReply() {
    Peer client = clientWithRules();

    client.send(get("a"));
    rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");
    client.expect("$1\r\nV\r\n");

    assertThat(rig.onLoop(() -> List.copyOf(rewritten))).containsExactly("$1\r\nV\r\n", "end");
  }

  @Test
  void aReplyIsRewrittenInPieces() {
    String value = "v".repeat(100_000);
    Peer client = clientWithRules();

    client.send(get("a") + set("a", "x"));
    Peer node = rig.accept(1).expect(get("a") + set("a", "x"));
    node.send("$100000\r\n" + value.substring(0, 60_000));
    node.send(value.substring(60_000) + "\r\n+done\r\n");

    client.expect("$100000\r\n" + value.toUpperCase(Locale.ROOT) + "\r\n+done\r\n");
  }

  @Test
  void aReplyThatWaitsForAnEarlierOneIsRewritten() {
    Peer client = clientWithRules();

    client.send(set("b", "1") + get("a"));
    Peer other = rig.accept(0).expect(set("b", "1"));
    rig.accept(1).expect(get("a")).send("$1\r\nv\r\n");
    other.send("+ok\r\n");

    client.expect("+ok\r\n$1\r\nV\r\n");
  }

  @Test
  void anErrorOfPenstocksOwnIsNotRewritten() {
    Peer client = clientWithRules();

    client.send(call("GET"));

    client.expect("-ERR wrong number of arguments for 'get' command\r\n");
  }
}
