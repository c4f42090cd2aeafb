package io.penstock.core.session;

import static io.penstock.core.session.Requests.PING;
import static io.penstock.core.session.Requests.call;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.pubsub.Kind;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Many patterns of clients of one loop, at a single server. */
class PatternsTest {

  /** Patterns of one connection at most, and here also those in flight. */
  private static final int MOST = 1_000;

  private static final int SLICE = 100;

  private Rig rig = new RigOptions().single().start();

  @AfterEach
  void close() {
    rig.close();
  }

  private void limit(int patterns) {
    rig.close();
    rig = new RigOptions().single().clientLimits(Limits.patterns(patterns)).start();
  }

  private static List<String> patterns(int from, int to) {
    return IntStream.range(from, to).mapToObj(i -> "p" + i + "*").toList();
  }

  private static String request(String command, List<String> names) {
    return call(command + " " + String.join(" ", names));
  }

  private static String confirmations(char type, String word, List<String> names, int first) {
    var all = new StringBuilder();
    for (int i = 0; i < names.size(); i++) {
      all.append(type).append("3\r\n").append(Wire.bulk(word)).append(Wire.bulk(names.get(i)));
      all.append(':').append(first + i).append("\r\n");
    }
    return all.toString();
  }

  /** Expects these names in commands of one slice each. */
  private static void expectSlices(Peer feed, String word, List<String> names) {
    for (int i = 0; i < names.size(); i += SLICE) {
      feed.expect(request(word, names.subList(i, Math.min(i + SLICE, names.size()))));
    }
  }

  private static void confirm(Peer feed, String word, List<String> names) {
    feed.send(confirmations('>', word, names, 1));
  }

  private static void answerPing(Peer feed) {
    feed.expect(PING).send("+PONG\r\n");
  }

  /** Returns when the loop has handled what has been sent to it. */
  private void roundTrip() {
    rig.client().send(PING).expect("+PONG\r\n");
  }

  private long patternCount() {
    return rig.<Long>onLoop(() -> rig.sessions().hub().subscriberCounts().nameCount(Kind.PATTERN));
  }

  /** Subscribes the client to as many patterns as one connection takes. */
  private Peer filled(Peer client) {
    List<String> first = patterns(0, MOST);
    client.send(request("PSUBSCRIBE", first));
    Peer feed = rig.acceptSubscriberConnection(0);
    expectSlices(feed, "psubscribe", first);
    confirm(feed, "psubscribe", first);
    client.expect(confirmations('*', "psubscribe", first, 1));
    return feed;
  }

  @Test
  void patternsAreSentInSlicesOverSeveralConnections() {
    List<String> first = patterns(0, MOST);
    List<String> second = patterns(MOST, 2 * MOST);
    List<String> third = patterns(2 * MOST, 2 * MOST + 5);
    List<String> all = patterns(0, 2 * MOST + 5);
    Peer client = rig.client().send(request("PSUBSCRIBE", all));

    Peer one = rig.acceptSubscriberConnection(0);
    expectSlices(one, "psubscribe", first);
    Peer two = rig.acceptSubscriberConnection(0);
    Peer three = rig.acceptSubscriberConnection(0);
    roundTrip();
    assertThat(one.pending() + two.pending() + three.pending()).isZero();

    confirm(one, "psubscribe", first.subList(0, SLICE));
    expectSlices(two, "psubscribe", second.subList(0, SLICE));
    roundTrip();
    assertThat(one.pending() + two.pending() + three.pending()).isZero();

    confirm(one, "psubscribe", first.subList(SLICE, MOST));
    expectSlices(two, "psubscribe", second.subList(SLICE, MOST));
    confirm(two, "psubscribe", second);
    expectSlices(three, "psubscribe", third);
    confirm(three, "psubscribe", third);
    client.expect(confirmations('*', "psubscribe", all, 1));
  }

  @Test
  void messagesOfAllConnectionsArrive() {
    Peer client = rig.client();
    Peer one = filled(client);
    client.send(call("PSUBSCRIBE p*"));
    Peer two = rig.acceptSubscriberConnection(0).expect(call("psubscribe p*"));
    confirm(two, "psubscribe", List.of("p*"));
    client.expect(confirmations('*', "psubscribe", List.of("p*"), MOST + 1));

    String word = Wire.bulk("pmessage");
    String rest = Wire.bulk("p7") + Wire.bulk("hello");
    one.send(">4\r\n" + word + Wire.bulk("p7*") + rest);
    client.expect("*4\r\n" + word + Wire.bulk("p7*") + rest);
    two.send(">4\r\n" + word + Wire.bulk("p*") + rest);
    client.expect("*4\r\n" + word + Wire.bulk("p*") + rest);
  }

  @Test
  void eachConnectionRenewsItsPatternsInSlices() {
    Peer client = rig.client();
    Peer one = filled(client);
    client.send(call("PSUBSCRIBE late"));
    Peer two = rig.acceptSubscriberConnection(0).expect(call("psubscribe late"));
    confirm(two, "psubscribe", List.of("late"));
    client.expect(confirmations('*', "psubscribe", List.of("late"), MOST + 1));

    one.reset();

    List<String> again = patterns(0, MOST);
    Peer next = rig.acceptSubscriberConnection(0);
    expectSlices(next, "psubscribe", again);
    confirm(next, "psubscribe", again);
    two.reset();
    Peer last = rig.acceptSubscriberConnection(0).expect(call("psubscribe late"));
    confirm(last, "psubscribe", List.of("late"));
    roundTrip();
    assertThat(next.pending() + last.pending()).isZero();
  }

  @Test
  void whatIsNotWantedAnyMoreIsNotSent() {
    List<String> first = patterns(0, MOST);
    Peer client = rig.client().send(request("PSUBSCRIBE", patterns(0, 2 * MOST)));
    Peer one = rig.acceptSubscriberConnection(0);
    expectSlices(one, "psubscribe", first);
    Peer two = rig.acceptSubscriberConnection(0);

    client.reset();
    await().until(() -> rig.<Integer>onLoop(() -> rig.sessions().sessions().size()) == 0);
    confirm(one, "psubscribe", first);

    expectSlices(one, "punsubscribe", first);
    confirm(one, "punsubscribe", first);
    roundTrip();
    assertThat(one.pending() + two.pending()).isZero();
  }

  @Test
  void aPatternThatChangesItsConnectionHasNoMessageTwice() {
    Peer filling = rig.client();
    Peer one = filled(filling);
    Peer leaving = rig.client().send(call("PSUBSCRIBE x"));
    Peer two = rig.acceptSubscriberConnection(0).expect(call("psubscribe x"));
    confirm(two, "psubscribe", List.of("x"));
    leaving.expect(confirmations('*', "psubscribe", List.of("x"), 1));
    filling.send(call("PUNSUBSCRIBE p0*"));
    answerPing(one);
    one.expect(call("punsubscribe p0*"));
    confirm(one, "punsubscribe", List.of("p0*"));
    leaving.send(call("PUNSUBSCRIBE x"));
    answerPing(two);
    two.expect(call("punsubscribe x"));

    Peer client = rig.client().send(call("PSUBSCRIBE x"));
    one.expect(call("psubscribe x"));
    confirm(one, "psubscribe", List.of("x"));
    client.expect(confirmations('*', "psubscribe", List.of("x"), 1));
    String message = Wire.bulk("pmessage") + Wire.bulk("x") + Wire.bulk("x") + Wire.bulk("hello");
    two.send(">4\r\n" + message + confirmations('>', "punsubscribe", List.of("x"), 0));
    leaving.expect(confirmations('*', "punsubscribe", List.of("x"), 0));
    one.send(">4\r\n" + message);

    client.expect("*4\r\n" + message);
    client.send(PING).expect("*2\r\n$4\r\npong\r\n$0\r\n\r\n");
  }

  @Test
  void aClientHasAMaximumOfPatterns() {
    limit(3);
    String error = "-ERR max number of patterns reached: 3\r\n";
    Peer client = rig.client();
    client.send(call("PSUBSCRIBE a b c d") + PING).expect(error + "+PONG\r\n");
    client.send(call("PSUBSCRIBE a b"));
    Peer feed = rig.acceptSubscriberConnection(0).expect(call("psubscribe a b"));
    confirm(feed, "psubscribe", List.of("a", "b"));
    client.expect(confirmations('*', "psubscribe", List.of("a", "b"), 1));

    client.send(call("PSUBSCRIBE b c d")).expect(error);
    answerPing(feed); // for b
    client.send(call("PSUBSCRIBE a b a"));
    answerPing(feed);
    client.expect(
        confirmations('*', "psubscribe", List.of("a"), 2)
            + confirmations('*', "psubscribe", List.of("b"), 2)
            + confirmations('*', "psubscribe", List.of("a"), 2));
    assertThat(patternCount()).isEqualTo(2);

    client.send(call("PUNSUBSCRIBE a"));
    answerPing(feed);
    feed.expect(call("punsubscribe a"));
    confirm(feed, "punsubscribe", List.of("a"));
    client.expect(confirmations('*', "punsubscribe", List.of("a"), 1));
    client.send(call("PSUBSCRIBE c d"));
    feed.expect(call("psubscribe c d"));
    confirm(feed, "psubscribe", List.of("c", "d"));
    client.expect(confirmations('*', "psubscribe", List.of("c", "d"), 2));
  }

  @Test
  void channelsHaveNoSuchMaximum() {
    limit(0);
    Peer client = rig.client().send(call("PSUBSCRIBE a"));
    client.expect("-ERR max number of patterns reached: 0\r\n").send(call("SUBSCRIBE a"));
    Peer feed = rig.acceptSubscriberConnection(0).expect(call("subscribe a"));
    confirm(feed, "subscribe", List.of("a"));
    client.expect(confirmations('*', "subscribe", List.of("a"), 1));
  }

  @Test
  void allClientsOfALoopHaveAMaximumOfPatterns() {
    int most = 100 * MOST;
    limit(2 * most);
    List<String> tooMany = new ArrayList<>(patterns(0, most + 1));
    Peer client = rig.client().send(request("PSUBSCRIBE", tooMany) + PING);

    client.expect(
        "-OVERLOADED too many patterns of all clients are subscribed to;"
            + " the command did not run\r\n+PONG\r\n");
    assertThat(patternCount()).isZero();
  }
}
