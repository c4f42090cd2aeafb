package io.penstock.core.session;

import static io.penstock.testkit.wire.Wire.request;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.observe.ShadowStats;
import io.penstock.core.observe.ShadowStats.Skipped;
import io.penstock.core.shadow.ShadowSettings;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What goes to a shadow, what is made of its replies, and that clients notice none of it. */
class ShadowReadsTest {

  private static final String GET = request("GET", "a"); // of node 1
  private static final String ONE = "$1\r\n1\r\n";
  private static final String TWO = "$1\r\n2\r\n";
  private static final String MEMBERS = request("SMEMBERS", "a");

  private final Rig rig = Rig.cluster();
  private final ScriptedUpstream other = new ScriptedUpstream(new RigOptions());
  private final Dispatcher shadow;

  ShadowReadsTest() {
    shadow = shadow(other);
  }

  private Dispatcher shadow(ScriptedUpstream to) {
    List<Duration> pauses = List.of(Duration.ofMillis(1), Duration.ofMillis(1));
    return rig.shadow(to, new ShadowSettings(ShadowSettings.ALL, "Upstream x", pauses));
  }

  @AfterEach
  void close() {
    rig.onLoop(() -> {
      rig.routing().shadow().disconnect();
      shadow.close();
      return true;
    });
    rig.close();
    other.closeNodes();
  }

  private ShadowStats awaitStats(Predicate<ShadowStats> wanted) {
    await().until(() -> wanted.test(rig.shadowStats()));
    return rig.shadowStats();
  }

  private void awaitSkipped(Skipped reason, long count) {
    await().until(() -> rig.shadowStats().skipped().getOrDefault(reason, 0L) == count);
  }

  @Test
  void aReadGoesToBothAndTheClientGetsTheReplyOfItsUpstream() {
    Peer client = rig.client().send(GET);
    Peer node = rig.accept(1).expect(GET);
    Peer copy = other.accept(1).expect(GET);

    copy.send(TWO);
    node.send(ONE);
    client.expect(ONE);

    node.expect(GET).send(ONE);
    copy.expect(GET).send(ONE);
    ShadowStats stats = awaitStats(each -> each.settled() == 1);
    assertThat(stats.requests()).isEqualTo(1);
    assertThat(stats.allDiffering()).isZero();
    assertThat(stats.ownDurations().bucketCounts()).contains(1L);
    assertThat(stats.shadowDurations().bucketCounts()).contains(1L);
  }

  @Test
  void equalRepliesAreNotReadAgain() {
    Peer client = rig.client().send(GET + MEMBERS);
    Peer node = rig.accept(1).expect(GET + MEMBERS).send(ONE + "*2\r\n" + ONE + TWO);
    Peer copy = other.accept(1).expect(GET + MEMBERS).send(ONE + "*2\r\n" + TWO + ONE);

    client.expect(ONE + "*2\r\n" + ONE + TWO);
    awaitStats(each -> each.same() == 2);
    assertThat(node.pending() + copy.pending()).isZero();
  }

  @Test
  void whatStillDiffersWhenReadAgainIsCountedByCommand() {
    Peer client = rig.client().send(GET);
    Peer node = rig.accept(1);
    Peer copy = other.accept(1);
    for (int i = 0; i < 3; i++) {
      node.expect(GET).send(ONE);
      copy.expect(GET).send(TWO);
    }

    client.expect(ONE);
    assertThat(awaitStats(each -> each.allDiffering() > 0).differing()).containsOnlyKeys("GET");
  }

  @Test
  void aShadowThatIsOnlyLateDoesNotDiffer() {
    rig.client().send(GET);
    Peer node = rig.accept(1).expect(GET).send(ONE);
    Peer copy = other.accept(1).expect(GET).send("$-1\r\n");

    node.expect(GET).send(TWO);
    copy.expect(GET).send(ONE);

    awaitStats(each -> each.settled() == 1);
  }

  @Test
  void aValueThatAlwaysChangesIsNotJudged() {
    rig.client().send(GET);
    Peer node = rig.accept(1);
    Peer copy = other.accept(1);
    for (int i = 0; i < 3; i++) {
      node.expect(GET).send("$1\r\n" + i + "\r\n");
      copy.expect(GET).send("$1\r\n9\r\n");
    }

    awaitSkipped(Skipped.CHANGING, 1);
    assertThat(rig.shadowStats().allDiffering()).isZero();
  }

  @Test
  void writesTransactionsAndWhatVariesStayAway() {
    String set = request("SET", "a", "1");
    String random = request("SRANDMEMBER", "a");
    Peer client = rig.client().send(set + random + request("TTL", "a"));
    Peer node =
        rig.accept(1).expect(set + random + request("TTL", "a")).send("+OK\r\n:1\r\n:1\r\n");
    client.expect("+OK\r\n:1\r\n:1\r\n");
    String block = request("MULTI") + GET + request("EXEC");
    client.send(block);
    node.expect(block).send("+OK\r\n+QUEUED\r\n*1\r\n" + ONE);
    client.expect("+OK\r\n+QUEUED\r\n*1\r\n" + ONE);

    assertThat(node.pending()).isZero();
    assertThat(rig.shadowStats().requests()).isZero();
    assertThat(rig.shadowStats().skipped()).isEmpty();
  }

  @Test
  void itsOwnErrorsAreCounted() {
    Peer client = rig.client().send(GET + GET);
    rig.accept(1).expect(GET + GET).send(ONE + ONE);
    other.accept(1).expect(GET + GET).send("-NOPERM no\r\n-STRANGE\r\n");

    client.expect(ONE + ONE);
    assertThat(awaitStats(each -> each.allErrors() == 2).errors())
        .containsEntry("NOPERM", 1L)
        .containsEntry("other", 1L);
  }

  @Test
  void itsRedirectsAreItsOwn() {
    Peer client = rig.client().send(GET);
    rig.accept(1).expect(GET).send(ONE);
    client.expect(ONE);
    int port = other.address(0).port();
    other.accept(1).expect(GET).send("-MOVED 15495 127.0.0.1:%d\r\n".formatted(port));
    other.accept(0).expect(GET).send(ONE);

    awaitStats(each -> each.same() == 1);
    assertThat(other.topology().calls()).contains("moved 15495 to " + port);
    assertThat(rig.topology().calls()).noneMatch(call -> call.startsWith("moved"));
  }

  @Test
  void aSilentShadowTakesNoMorePlacesThanThereAre() {
    Peer client = rig.client().send(GET);
    Peer node = rig.accept(1).expect(GET).send(ONE);
    other.accept(1).expect(GET);
    client.expect(ONE);
    for (int i = 1; i < 130; i++) {
      client.send(GET);
      node.expect(GET).send(ONE);
      client.expect(ONE);
    }

    awaitSkipped(Skipped.FULL, 2);
    assertThat(rig.shadowStats().requests()).isEqualTo(128);
    rig.onLoop(() -> {
      shadow.tick(rig.loop().tick() + Duration.ofSeconds(101).toNanos());
      return true;
    });
    awaitStats(each -> each.errors().getOrDefault("timeout", 0L) == 128);
  }

  @Test
  void aLostShadowConnectionIsAnError() {
    Peer client = rig.client().send(GET);
    rig.accept(1).expect(GET).send(ONE);
    other.accept(1).expect(GET).close();

    client.expect(ONE);
    awaitStats(each -> each.errors().getOrDefault("connlost", 0L) == 1);
  }

  @Test
  void largeRepliesAreComparedAsTheyPass() {
    String large = Wire.bulk("x".repeat(200_000));
    Peer client = rig.client().send(GET);
    Peer node = rig.accept(1).expect(GET);
    Peer copy = other.accept(1).expect(GET);
    Thread.ofVirtual().start(() -> copy.send(large));
    Thread.ofVirtual().start(() -> node.send(large));

    client.expect(large);
    awaitStats(each -> each.same() == 1);
  }

  @Test
  void keysThatTheShadowHasInSeveralSlotsAreLeftOut() {
    try (Rig single = new RigOptions().single().start()) {
      Dispatcher its =
          single.shadow(other, new ShadowSettings(ShadowSettings.ALL, "Upstream x", List.of()));
      String spread = request("MGET", "a", "b");
      String together = request("MGET", "{a}1", "{a}2");
      Peer client = single.client().send(spread + together);
      single.accept(0).expect(spread + together).send("*0\r\n*0\r\n");
      other.accept(1).expect(together).send("*0\r\n");

      client.expect("*0\r\n*0\r\n");
      await().until(() -> single.shadowStats().same() == 1);
      assertThat(single.shadowStats().skipped()).containsOnlyKeys(Skipped.CROSS_SLOT);
      single.onLoop(() -> {
        single.routing().shadow().disconnect();
        its.close();
        return true;
      });
    }
  }

  @Test
  void aRemovedShadowIsNotReadAnyMore() {
    Peer client = rig.client().send(GET);
    Peer node = rig.accept(1).expect(GET);
    Peer copy = other.accept(1).expect(GET);
    rig.onLoop(() -> {
      rig.routing().shadow().disconnect();
      return true;
    });
    copy.send(TWO);
    node.send(ONE);
    client.expect(ONE).send(GET);
    node.expect(GET).send(ONE);
    client.expect(ONE);

    assertThat(copy.pending()).isZero();
    assertThat(rig.shadowStats().requests()).isEqualTo(1);
    assertThat(rig.shadowStats().allDiffering()).isZero();
  }
}
