package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static io.penstock.core.session.Requests.get;
import static io.penstock.core.session.Requests.set;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.script.DigestCache;
import io.penstock.core.wire.Frames;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Expected errors are those of redis-server 7.0.15 for the same lines. */
class ClientAdministrationTest {

  private static final String OK = "+OK\r\n";

  private final Rig rig = Rig.cluster();

  @AfterEach
  void close() {
    rig.close();
  }

  private String address(Session session) {
    return rig.onLoop(() -> session.view().address());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "CLIENT KILL 1.2.3.4:5; -ERR No such client",
        "CLIENT KILL ID; -ERR No such client",
        "CLIENT KILL ID 0; -ERR client-id should be greater than 0",
        "CLIENT KILL ID x; -ERR client-id should be greater than 0",
        "CLIENT KILL ID -1; -ERR client-id should be greater than 0",
        "CLIENT KILL ID 999; :0",
        "CLIENT KILL TYPE foo; -ERR Unknown client type 'foo'",
        "CLIENT KILL TYPE replica; :0",
        "CLIENT KILL USER nobody; -ERR No such user 'nobody'",
        "CLIENT KILL USER default ID 99; :0",
        "CLIENT KILL SKIPME maybe; -ERR syntax error",
        "CLIENT KILL SKIPME yes; :0",
        "CLIENT KILL FOO bar; -ERR syntax error",
        "CLIENT KILL ADDR a:1 LADDR; -ERR syntax error",
        "CLIENT KILL MAXAGE x; -ERR maxage is not an integer or out of range",
        "CLIENT KILL MAXAGE 1000; :0",
        "CLIENT PAUSE x; -ERR timeout is not an integer or out of range",
        "CLIENT PAUSE 99999999999999999999; -ERR timeout is not an integer or out of range",
        "CLIENT PAUSE -1; -ERR timeout is negative",
        "CLIENT PAUSE 1 foo; -ERR CLIENT PAUSE mode must be WRITE or ALL",
        "CLIENT PAUSE 1 WRITE extra; -ERR unknown subcommand or wrong number of arguments for"
            + " 'PAUSE'. Try CLIENT HELP.",
        "client pause 1 write extra; -ERR unknown subcommand or wrong number of arguments for"
            + " 'pause'. Try CLIENT HELP.",
        "CLIENT PAUSE 0; +OK",
        "CLIENT UNPAUSE; +OK",
        "CLIENT CAPA redirect; +OK",
        "CLIENT GETREDIR; :-1",
        "CLIENT TRACKING off; +OK",
        "CLIENT TRACKING off BCAST; +OK",
        "CLIENT TRACKING foo; -ERR syntax error",
        "CLIENT TRACKING on FOO; -ERR syntax error",
        "CLIENT TRACKING on PREFIX; -ERR syntax error",
        "CLIENT TRACKING on REDIRECT x; -ERR value is not an integer or out of range",
        "CLIENT TRACKING on BCAST PREFIX a; -ERR CLIENT TRACKING is not supported by this proxy: it"
            + " does not serve client-side caching",
        "CLIENT CACHING yes; -ERR CLIENT CACHING can be called only when the client is in tracking"
            + " mode with OPTIN or OPTOUT mode enabled",
        "CLIENT TRACKINGINFO; *6|$5|flags|*1|$3|off|$8|redirect|:-1|$8|prefixes|*0",
        "ROLE; *3|$6|master|:0|*0"
      })
  void repliesAreThoseOfRedis(String line, String reply) {
    rig.client().send(line + "\r\n").expect(reply.replace("|", "\r\n") + "\r\n");
  }

  @Test
  void resp3ShowsTrackingAsAMap() {
    rig.client()
        .send("HELLO 3\r\nCLIENT TRACKINGINFO\r\n")
        .expect("%7\r\n$6\r\nserver\r\n$5\r\nredis\r\n$7\r\nversion\r\n$6\r\n7.0.15\r\n")
        .expect("$5\r\nproto\r\n:3\r\n$2\r\nid\r\n:1\r\n$4\r\nmode\r\n$10\r\nstandalone\r\n")
        .expect("$4\r\nrole\r\n$6\r\nmaster\r\n$7\r\nmodules\r\n*0\r\n")
        .expect("%3\r\n$5\r\nflags\r\n~1\r\n$3\r\noff\r\n$8\r\nredirect\r\n:-1\r\n")
        .expect("$8\r\nprefixes\r\n*0\r\n");
  }

  @Test
  void aKilledClientDoesNotAffectOthers() {
    Peer victim = rig.client();
    victim.send(get("a"));
    Peer node = rig.accept(1).expect(get("a"));
    Peer killer = rig.client();

    killer.send(call("CLIENT KILL ID 1")).expect(":1\r\n");
    victim.expectClosed();
    killer.send(get("a"));
    node.expect(get("a")).send("$1\r\n1\r\n$1\r\n2\r\n");

    killer.expect("$1\r\n2\r\n");
  }

  @Test
  void aClientIsKilledByItsAddress() {
    Peer victim = rig.client();
    victim.send(PING).expect("+PONG\r\n");
    String address = address(rig.newestSession());
    Peer killer = rig.client();

    killer.send(call("CLIENT KILL ADDR " + address + " ID 7")).expect(":0\r\n");
    killer.send(call("CLIENT KILL " + address)).expect(OK);
    victim.expectClosed();
    killer.send(call("CLIENT KILL " + address)).expect("-ERR No such client\r\n");
  }

  @ParameterizedTest
  @CsvSource({
    "ID 1 ID 999, 0",
    "ID 999 ID 1, 1",
    "TYPE normal TYPE pubsub, 0",
    "TYPE pubsub TYPE normal ID 999 ID 1, 1",
    "ADDR 1.2.3.4:5 ADDR 1.2.3.4:6, 0",
    "LADDR 1.2.3.4:5 ID 1, 0",
    "MAXAGE 1000 MAXAGE 1 ID 999, 0",
    "SKIPME no SKIPME yes ID 2, 0"
  })
  void theLastOfARepeatedOptionApplies(String options, int killed) {
    Peer victim = rig.client();
    victim.send(PING).expect("+PONG\r\n");
    Peer killer = rig.client();

    killer.send(call("CLIENT KILL " + options) + PING).expect(":" + killed + "\r\n+PONG\r\n");
    if (killed > 0) {
      victim.expectClosed();
    } else {
      victim.send(PING).expect("+PONG\r\n");
    }
  }

  @Test
  void killAcceptsVeryManyOptions() {
    Peer victim = rig.client();
    victim.send(PING).expect("+PONG\r\n");

    rig.client().send(call("CLIENT KILL" + " ID 1".repeat(100_000))).expect(":1\r\n");
    victim.expectClosed();
  }

  /** Adds a loop with a null client: code that reads it throws. */
  private void addFailingLoop() {
    SessionLoop whole = rig.sessions();
    rig.onLoop(() -> {
      var broken =
          new SessionLoop(
              whole.loop(), rig.settings(), whole.servers(), rig.routing(), rig.directory());
      broken.pause().begin(System.nanoTime() + TimeUnit.HOURS.toNanos(1), true);
      return broken.sessions().add(null);
    });
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "CLIENT LIST",
        "CLIENT KILL TYPE pubsub",
        "CLIENT UNBLOCK 7",
        "CLIENT UNPAUSE",
      })
  void aClientIsClosedWhenALoopFailsToAnswer(String line) {
    addFailingLoop();
    Peer client = rig.client();
    client.send(PING).expect("+PONG\r\n");

    client.send(call(line) + PING).expectClosed();

    assertThat(rig.<Integer>onLoop(() -> rig.sessions().slots().inUse())).isZero();
    rig.client().send(PING).expect("+PONG\r\n");
  }

  @Test
  void killSkipsTheCallerUnlessSkipmeIsNo() {
    Peer one = rig.client();
    Peer two = rig.client();
    one.send(PING).expect("+PONG\r\n");
    two.send(PING).expect("+PONG\r\n");
    Peer killer = rig.client();

    killer.send(call("CLIENT KILL TYPE normal")).expect(":2\r\n");
    one.expectClosed();
    two.expectClosed();
    killer.send(call("CLIENT KILL TYPE normal SKIPME no") + PING).expect(":1\r\n").expectClosed();
  }

  @Test
  void killingTheCallerIsAnsweredAfterEarlierRequests() {
    Peer client = rig.client();
    client.send(PING).expect("+PONG\r\n");
    String address = address(rig.newestSession());
    client.send(get("a") + call("CLIENT KILL " + address) + set("a", "not any more"));
    Peer node = rig.accept(1).expect(get("a")).send("$1\r\n1\r\n");

    client.expect("$1\r\n1\r\n" + OK).expectClosed();
    assertThat(node.pending()).isZero();
  }

  @Test
  void readsPassAPauseOfWrites() {
    Peer reader = rig.client();
    Peer writer = rig.client();
    Peer operator = rig.client();
    operator.send(call("CLIENT PAUSE 100000 WRITE")).expect(OK);

    writer.send(set("a", "1") + get("a"));
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    reader.send(get("a"));
    Peer node = rig.accept(1).expect(get("a")).send("$1\r\n0\r\n");
    reader.expect("$1\r\n0\r\n");
    operator.send(call("CLIENT UNPAUSE")).expect(OK);

    node.expect(set("a", "1") + get("a")).send(OK + "$1\r\n1\r\n");
    writer.expect(OK + "$1\r\n1\r\n");
  }

  @ParameterizedTest
  @CsvSource({"PUBLISH ch m", "EVAL return 0", "FCALL f 0", "PFCOUNT a", "SPUBLISH a m"})
  void commandsThatMayWriteWaitForAPauseOfWrites(String line) {
    Peer client = rig.client();
    client.send(call("CLIENT PAUSE 100000 WRITE") + call(line)).expect(OK);

    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
  }

  private static final String READING = "#!lua flags=no-writes\nreturn 2";

  @Test
  void readOnlyScriptsPassAPauseOfWrites() {
    Peer client = rig.client();
    Peer operator = rig.client();
    String load = Wire.request("SCRIPT", "LOAD", READING);
    String digest = "3d3bb3ec0b0a2ae3d4a7ab1ab54c83c7ef5e6d57";
    operator.send(load);
    Peer other = rig.accept(0).expect(load).send(Wire.bulk(digest));
    Peer node = rig.accept(1).expect(load).send(Wire.bulk(digest));
    operator.expect(Wire.bulk(digest));
    String eval = Wire.request("EVAL", READING, "1", "a");
    Peer writer = rig.client().send(call("MULTI") + eval + call("EVAL x 1 a"));
    writer.expect(OK + "+QUEUED\r\n+QUEUED\r\n");
    operator.send(call("CLIENT PAUSE 100000 WRITE")).expect(OK);

    client.send(eval);
    node.expect(eval).send(":2\r\n");
    client.expect(":2\r\n");
    String bySha = Wire.request("EVALSHA", sha1(READING), "1", "b");
    client.send(bySha);
    other.expect(bySha).send(":2\r\n");
    client.expect(":2\r\n");
    client.send(call("MULTI") + eval + call("EXEC")).expect(OK + "+QUEUED\r\n");
    node.expect(call("MULTI") + eval + call("EXEC")).send(OK + "+QUEUED\r\n*1\r\n:2\r\n");
    client.expect("*1\r\n:2\r\n");

    writer.send(call("EXEC"));
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
  }

  private static String sha1(String text) {
    return new DigestCache().of(Frames.of(text), 0);
  }

  @Test
  void functionsReadOnlyOnAllNodesPassAPauseOfWrites() {
    Peer client = rig.client();
    Peer operator = rig.client();
    operator.send(call("CLIENT PAUSE 100000 WRITE")).expect(OK);

    client.send(call("FCALL Reads 1 a"));
    String list = call("FUNCTION LIST");
    Peer one = rig.accept(0).expect(list).send("*1\r\n" + library(function("READS", "no-writes")));
    Peer two = rig.accept(1).expect(list);
    two.send("*2\r\n" + library(function("writes"), function("both", "allow-oom")))
        .send(library(function("reads", "allow-stale", "no-writes")));
    two.expect(call("FCALL Reads 1 a")).send(":1\r\n");
    client.expect(":1\r\n");

    client.send(call("FCALL_RO reads 1 b"));
    one.expect(call("FCALL_RO reads 1 b")).send(":1\r\n");
    client.expect(":1\r\n");
    client.send(call("FCALL both 1 b"));
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    assertThat(one.pending()).isZero();
  }

  private static String library(String... functions) {
    return "*6\r\n"
        + (Wire.bulk("library_name") + Wire.bulk("name") + Wire.bulk("engine") + Wire.bulk("LUA"))
        + (Wire.bulk("functions") + "*" + functions.length + "\r\n" + String.join("", functions));
  }

  private static String function(String name, String... flags) {
    return "*6\r\n"
        + (Wire.bulk("name") + Wire.bulk(name) + Wire.bulk("description") + "$-1\r\n")
        + (Wire.bulk("flags") + "*" + flags.length + "\r\n")
        + Stream.of(flags).map(flag -> "+" + flag + "\r\n").collect(Collectors.joining());
  }

  @Test
  void withoutAllFunctionListsFunctionsWaitForAPause() {
    Peer client = rig.client();
    rig.client().send(call("CLIENT PAUSE 100000 WRITE")).expect(OK);
    client.send(call("FCALL reads 1 a"));
    Peer one = rig.accept(0).expect(call("FUNCTION LIST"));
    one.send("*1\r\n" + library(function("reads", "no-writes")));
    rig.accept(1).expect(call("FUNCTION LIST")).close();

    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    assertThat(client.pending()).isZero();
  }

  @Test
  void execWaitsForAPauseIfTheTransactionWrites() {
    Peer writer = rig.client();
    writer.send(call("MULTI") + set("a", "1")).expect(OK + "+QUEUED\r\n");
    Peer reader = rig.client();
    reader.send(call("MULTI") + get("b")).expect(OK + "+QUEUED\r\n");
    Peer operator = rig.client();
    operator.send(call("CLIENT PAUSE 100000 WRITE")).expect(OK);

    writer.send(call("EXEC"));
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    reader.send(call("EXEC"));
    rig.accept(0)
        .expect(call("MULTI") + get("b") + call("EXEC"))
        .send(OK + "+QUEUED\r\n*1\r\n$-1\r\n");
    reader.expect("*1\r\n$-1\r\n");
    reader.send(call("MULTI") + set("b", "1")).expect(OK);
    await().until(() -> rig.sessions().traffic().blockedClients() == 2);
    operator.send(call("CLIENT UNPAUSE")).expect(OK);

    reader.expect("+QUEUED\r\n");
    rig.accept(1)
        .expect(call("MULTI") + set("a", "1") + call("EXEC"))
        .send(OK + "+QUEUED\r\n*1\r\n" + OK);
    writer.expect("*1\r\n" + OK);
  }

  @Test
  void unpauseAndErrorsPassAPauseOfAll() {
    Peer client = rig.client();
    client.send("CLIENT PAUSE 100000\r\nFOO\r\nPING\r\n");
    client.expect(OK + "-ERR unknown command 'FOO', with args beginning with: \r\n");
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    assertThat(client.pending()).isZero();

    rig.client().send(call("CLIENT UNPAUSE") + PING).expect(OK + "+PONG\r\n");

    client.expect("+PONG\r\n");
  }

  @Test
  void aPauseEndsAfterItsTimeout() {
    Peer client = rig.client();
    long before = System.nanoTime();
    client.send(call("CLIENT PAUSE 50") + PING).expect(OK + "+PONG\r\n");

    assertThat(System.nanoTime() - before).isGreaterThan(45_000_000);
    assertThat(rig.<Boolean>onLoop(() -> rig.sessions().pause().isOn())).isFalse();
  }

  @Test
  void ofTwoPausesTheLongerAndTheStricterApply() {
    Peer client = rig.client();
    client.send(call("CLIENT PAUSE 100000 ALL"));
    client.expect(OK);
    Peer other = rig.client();
    rig.onLoop(() -> {
      rig.sessions().pause().begin(System.nanoTime() + 1_000, false);
      return true;
    });
    other.send(PING);

    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    assertThat(other.pending()).isZero();
  }

  @Test
  void aClientMayDisconnectWhilePaused() {
    Peer client = rig.client();
    client.send(call("CLIENT PAUSE 100000") + PING).expect(OK);
    await().until(() -> rig.sessions().traffic().blockedClients() == 1);
    client.close();

    rig.client().send(call("CLIENT UNPAUSE")).expect(OK);

    await().until(() -> rig.onLoop(() -> rig.sessions().sessions().size()) == 1);
  }
}
