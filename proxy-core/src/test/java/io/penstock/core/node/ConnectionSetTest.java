package io.penstock.core.node;

import static io.penstock.testkit.network.ScriptedNode.NAMING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Exchange;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.TestExchange;
import io.penstock.core.upstream.Access;
import io.penstock.testkit.network.Peer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests connections by database, and for reads from replicas, against a scripted server. */
class ConnectionSetTest extends NodeFixture {

  private static final long MINUTES = TimeUnit.MINUTES.toNanos(2);

  private TestExchange exchange(String name, int database) {
    return exchange(name).inDatabase(database);
  }

  private void send(Exchange exchange) {
    onLoop(() -> node().send(exchange, false));
  }

  private Lease lease(int database) {
    TestExchange first = exchange("first", database);
    Lease lease = onLoop(() -> node().lease(first));
    first.release();
    return lease;
  }

  private static String select(int database) {
    String number = Integer.toString(database);
    return "*2\r\n$6\r\nSELECT\r\n$" + number.length() + "\r\n" + number + "\r\n";
  }

  private Peer acceptSelecting(int database) {
    return server.acceptUnanswered().expect(NAMING + select(database)).send("+OK\r\n+OK\r\n");
  }

  @Test
  void eachDatabaseHasAConnectionThatSelectsItOnce() {
    send(exchange("a", ConnectionKey.DEFAULT_DATABASE));
    Peer plain = server.accept().expect("<a>").send("+A\r\n");
    send(exchange("b", 3));
    Peer third = acceptSelecting(3).expect("<b>").send("+B\r\n");
    send(exchange("c", 3));
    third.expect("<c>").send("+C\r\n");
    awaitLog("a +A\r\n", "b +B\r\n", "c +C\r\n");

    send(exchange("d", ConnectionKey.DEFAULT_DATABASE));
    plain.expect("<d>").send("+D\r\n");
    awaitLog("a +A\r\n", "b +B\r\n", "c +C\r\n", "d +D\r\n");

    assertThat(stats().connections()).isEqualTo(2);
  }

  @Test
  void databaseZeroIsNotSelected() {
    access = new Access(null, 2);
    send(exchange("a", ConnectionKey.DEFAULT_DATABASE));
    acceptSelecting(2).expect("<a>");

    send(exchange("b", 0));

    server.accept().expect("<b>");
  }

  @Test
  void readsOfAClusterSendReadonly() {
    inCluster = true;
    TestExchange read = exchange("a", ConnectionKey.DEFAULT_DATABASE);
    read.readingReplica();

    send(read);

    server
        .acceptUnanswered()
        .expect(NAMING + "*1\r\n$8\r\nREADONLY\r\n")
        .send("+OK\r\n+OK\r\n")
        .expect("<a>");
  }

  @Test
  void readsOfOtherServersHaveTheirOwnConnection() {
    send(exchange("a", ConnectionKey.DEFAULT_DATABASE));
    server.accept().expect("<a>");
    TestExchange read = exchange("b", ConnectionKey.DEFAULT_DATABASE);
    read.readingReplica();

    send(read);

    server.accept().expect("<b>");
  }

  @Test
  void aRejectedDatabaseAnswersOnlyWhatWaitsForIt() {
    send(exchange("a", ConnectionKey.DEFAULT_DATABASE));
    Peer plain = server.accept().expect("<a>");
    send(exchange("b", 99));
    send(exchange("c", 99));

    server
        .acceptUnanswered()
        .expect(NAMING + select(99))
        .send("+OK\r\n-ERR DB index is out of range\r\n")
        .expectClosed();
    awaitLog("b -ERR DB index is out of range\r\n", "c -ERR DB index is out of range\r\n");
    plain.send("+A\r\n");

    await().untilAsserted(() -> assertThat(log).contains("a +A\r\n"));
    assertThat(events).containsExactly("connected");
    assertThat(onLoop(() -> node().handshakeError())).isNull();
    assertThat(onLoop(held::size)).isZero();
  }

  @Test
  void aTemporaryErrorToSelectIsTriedAgain() {
    send(exchange("a", 1));
    server
        .acceptUnanswered()
        .expect(NAMING + select(1))
        .send("+OK\r\n-BUSY a script is running\r\n");

    acceptSelecting(1).expect("<a>").send("+A\r\n");

    awaitLog("a +A\r\n");
  }

  @Test
  void aDatabaseThatIsIdleForLongIsClosed() {
    send(exchange("a", 1));
    Peer first = acceptSelecting(1).expect("<a>").send("+A\r\n");
    awaitLog("a +A\r\n");

    tick(MINUTES);

    first.expectClosed();
    assertThat(stats().connections()).isZero();
    send(exchange("b", 1));
    acceptSelecting(1).expect("<b>");
  }

  @Test
  void aDatabaseWithPendingRepliesStaysOpen() {
    send(exchange("a", 1));
    Peer first = acceptSelecting(1).expect("<a>");

    tick(MINUTES);

    first.send("+A\r\n");
    awaitLog("a +A\r\n");
  }

  @Test
  void databasesBeyondTheLimitCloseTheOneUnusedLongest() {
    List<Peer> peers = new ArrayList<>();
    for (int i = 1; i <= OtherSets.MAX_SETS; i++) {
      send(exchange("a" + i, i));
      peers.add(acceptSelecting(i).expect("<a" + i + ">").send("+A\r\n"));
      int answered = i;
      await().untilAsserted(() -> assertThat(log).hasSize(answered));
    }

    send(exchange("b", 1000));

    acceptSelecting(1000).expect("<b>");
    peers.getFirst().expectClosed();
    assertThat(stats().connections()).isEqualTo(OtherSets.MAX_SETS);
  }

  @Test
  void databasesBeyondTheLimitAreRejectedIfAllAreInUse() {
    for (int i = 1; i <= OtherSets.MAX_SETS; i++) {
      send(exchange("a" + i, i));
    }

    send(exchange("b", 1000));

    awaitLog("b OVERLOADED");
  }

  @Test
  void leasesAreGivenByDatabase() {
    Lease first = lease(1);
    onLoop(() -> {
      first.send(exchange("a", 1), false);
      return null;
    });
    server
        .acceptUnanswered()
        .expect(NAMING + select(1) + "*2\r\n$6\r\nCLIENT\r\n$2\r\nID\r\n")
        .send("+OK\r\n+OK\r\n:7\r\n")
        .expect("<a>")
        .send("+A\r\n");
    awaitLog("a +A\r\n");

    onLoop(() -> {
      first.release();
      return null;
    });

    assertThat(lease(2)).isNotSameAs(first);
    assertThat(lease(1)).isSameAs(first);
  }

  @Test
  void aLeaseWithARejectedDatabaseAnswersAndCloses() {
    Lease lease = lease(99);
    onLoop(() -> {
      lease.send(exchange("a", 99), false);
      return null;
    });

    server
        .acceptUnanswered()
        .expect(NAMING + select(99) + "*2\r\n$6\r\nCLIENT\r\n$2\r\nID\r\n")
        .send("+OK\r\n-ERR DB index is out of range\r\n")
        .expectClosed();

    awaitLog("a -ERR DB index is out of range\r\n");
    assertThat(onLoop(lease::isOpen)).isFalse();
    assertThat(onLoop(() -> node().handshakeError())).isNull();
  }

  @Test
  void exchangesOfAnotherDatabaseCanBeWithdrawn() {
    server.stopListening();
    send(exchange("a", 1));
    var withdrawn = new ArrayDeque<Exchange>();

    onLoop(() -> {
      node().withdraw(_ -> true, withdrawn);
      return null;
    });

    assertThat(withdrawn)
        .extracting(exchange -> exchange.connections().database())
        .containsExactly(1); // also elsewhere
    withdrawn.forEach(exchange ->
        onLoop(() -> {
          exchange.fail(Failure.NOT_SENT);
          return null;
        }));
  }
}
