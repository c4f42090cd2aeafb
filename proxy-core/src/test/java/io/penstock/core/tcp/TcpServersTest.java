package io.penstock.core.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.util.NetUtil;
import io.penstock.core.observe.Label;
import io.penstock.core.tcp.TcpServers.Choice;
import io.penstock.core.tcp.TcpServers.Status;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.NodeTransport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The choices are those of nginx' stream module for the same servers. */
class TcpServersTest {

  private static final int SECOND = 1_000;

  private final Queue<Integer> random = new ArrayDeque<>();
  private long now = 1_000_000;

  private static TcpServer server(String name) {
    return TcpServer.of(new Endpoint(name, 6379));
  }

  private static TcpServer server(String name, int weight) {
    return patient(name, weight, 1, Duration.ZERO);
  }

  private static TcpServer backup(String name) {
    return server(name, 1, 0, 1, Duration.ZERO, Role.BACKUP);
  }

  private static TcpServer down(String name, int weight) {
    return server(name, weight, 0, 1, Duration.ZERO, Role.DOWN);
  }

  private static TcpServer limited(String name, int most) {
    return server(name, 1, most, 1, Duration.ZERO, Role.USED);
  }

  private static TcpServer patient(String name, int weight, int maxFails, Duration slowStart) {
    return server(name, weight, 0, maxFails, slowStart, Role.USED);
  }

  private enum Role {
    USED,
    BACKUP,
    DOWN
  }

  private static TcpServer server(
      String name, int weight, int most, int maxFails, Duration slowStart, Role role) {
    return new TcpServer(
        new Endpoint(name, 6379),
        name + ":6379",
        weight,
        most,
        maxFails,
        TcpServer.FAIL_TIMEOUT,
        slowStart,
        role == Role.BACKUP,
        role == Role.DOWN);
  }

  private static TcpSettings settings(TcpBalance balance, TcpServer... servers) {
    return new TcpSettings(
        List.of(servers),
        balance,
        new TcpSettings.Connect(Duration.ofSeconds(5), true, 0, Duration.ZERO),
        NodeTransport.PLAIN,
        Duration.ZERO,
        65_536,
        null);
  }

  private TcpServers servers(TcpBalance balance, TcpServer... servers) {
    return new TcpServers(
        settings(balance, servers),
        Label.ONLY,
        () -> now,
        bound -> Objects.requireNonNull(random.poll()) % bound);
  }

  private static Attempt client(TcpServers servers, String address) {
    return servers.begin(address.getBytes(StandardCharsets.US_ASCII));
  }

  private static Peer next(TcpServers servers, Attempt attempt) {
    return Objects.requireNonNull(servers.next(attempt)).peer();
  }

  /** Connects a client, which stays. Returns the name of its server. */
  private static String connect(TcpServers servers) {
    Peer peer = next(servers, client(servers, "127.0.0.1"));
    servers.connected(peer);
    return peer.address().host();
  }

  private static List<String> connect(TcpServers servers, int clients) {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      names.add(connect(servers));
    }
    return names;
  }

  /** Has a client come, fail at each server, and returns their names. */
  private static List<String> failAll(TcpServers servers, String address) {
    List<String> names = new ArrayList<>();
    Attempt attempt = client(servers, address);
    for (Choice next = servers.next(attempt); next != null; next = servers.next(attempt)) {
      attempt = next.attempt();
      names.add(next.peer().address().host());
      servers.failed(next.peer(), "refused");
    }
    return names;
  }

  private static void failOnce(TcpServers servers, String name) {
    Attempt attempt = client(servers, "127.0.0.1");
    for (Choice next = servers.next(attempt); next != null; next = servers.next(attempt)) {
      attempt = next.attempt();
      if (next.peer().address().host().equals(name)) {
        servers.failed(next.peer(), "refused");
        return;
      }
      servers.abandoned(next.peer());
    }
    throw new AssertionError(name + " was not chosen");
  }

  @Test
  void roundRobinIsWeightedAndSmooth() {
    TcpServers servers =
        servers(TcpBalance.ROUND_ROBIN, server("a", 5), server("b", 1), server("c", 1));

    assertThat(connect(servers, 14))
        .containsExactly("a", "a", "b", "a", "c", "a", "a", "a", "a", "b", "a", "c", "a", "a");
  }

  @Test
  void equalServersTakeTurns() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"), server("b"), server("c"));

    assertThat(connect(servers, 6)).containsExactly("a", "b", "c", "a", "b", "c");
  }

  @Test
  void leastConnectionsCountsThemByWeight() {
    TcpServers servers =
        servers(TcpBalance.LEAST_CONNECTIONS, server("a", 2), server("b", 1), server("c", 1));

    assertThat(connect(servers, 8)).containsExactly("a", "b", "c", "a", "c", "a", "b", "a");
  }

  @Test
  void leastConnectionsFollowsWhatIsClosed() {
    TcpServers servers = servers(TcpBalance.LEAST_CONNECTIONS, server("a"), server("b"));
    Peer first = next(servers, client(servers, "127.0.0.1"));
    servers.connected(first);
    connect(servers, 3);

    servers.closed(first);

    assertThat(connect(servers)).isEqualTo(first.address().host());
    assertThat(servers.connections()).isEqualTo(4);
  }

  @ParameterizedTest
  @CsvSource({
    "192.168.0.1, c, c",
    "192.168.0.2, b, c",
    "192.168.0.77, b, a",
    "10.1.2.3, a, c",
    "2001:db8::1, a, b",
    "127.0.0.1, c, b"
  })
  void hashesAreThoseOfNginx(String client, String plain, String consistent) {
    TcpServer[] all = {hashed("10.0.0.1", 1), hashed("10.0.0.2", 2), hashed("10.0.0.3", 1)};
    List<String> names = List.of("a", "b", "c");
    List<String> hosts = List.of("10.0.0.1", "10.0.0.2", "10.0.0.3");
    TcpServers byHash = servers(TcpBalance.HASH, all);
    TcpServers byRing = servers(TcpBalance.CONSISTENT_HASH, all);

    assertThat(next(byHash, client(byHash, client)).address().host())
        .isEqualTo(hosts.get(names.indexOf(plain)));
    assertThat(next(byRing, client(byRing, client)).address().host())
        .isEqualTo(hosts.get(names.indexOf(consistent)));
  }

  @Test
  void clientsAreHashedByTheirAddressesAsNginxWritesThem() throws UnknownHostException {
    assertThat(key("2001:db8:0:0:0:0:0:1")).isEqualTo("2001:db8::1");
    assertThat(key("192.168.0.1")).isEqualTo("192.168.0.1");
    assertThat(new String(TcpConnection.key(null), StandardCharsets.US_ASCII)).isEqualTo("unix:");
  }

  private static String key(String address) throws UnknownHostException {
    byte[] bytes = Objects.requireNonNull(NetUtil.createByteArrayFromIpAddressString(address));
    var client = new InetSocketAddress(InetAddress.getByAddress(bytes), 4321);
    return new String(TcpConnection.key(client), StandardCharsets.US_ASCII);
  }

  private static TcpServer hashed(String host, int weight) {
    return server(host, weight);
  }

  @Test
  void theRingHasThePointsOfNginx() {
    HashRing one = HashRing.of(List.of(hashed("10.0.0.1", 1)));
    HashRing ring =
        HashRing.of(List.of(hashed("10.0.0.1", 1), hashed("10.0.0.2", 2), hashed("10.0.0.3", 1)));

    assertThat(ring.size()).isEqualTo(640);
    assertThat(one.hash(one.find(701_399_684L))).isEqualTo(701_399_684L);
    assertThat(one.hash(one.find(3_197_046_442L))).isEqualTo(3_197_046_442L);
    assertThat(ring.owner(ring.size())).isEqualTo(ring.owner(0));
  }

  @Test
  void aServerThatIsDownKeepsItsPlaceOfTheHash() {
    TcpServer down = down("10.0.0.3", 1);
    TcpServers servers =
        servers(TcpBalance.HASH, hashed("10.0.0.1", 1), hashed("10.0.0.2", 2), down);

    assertThat(next(servers, client(servers, "192.168.0.2")).address().host())
        .isEqualTo("10.0.0.2");
    assertThat(next(servers, client(servers, "10.1.2.3")).address().host()).isEqualTo("10.0.0.1");
    assertThat(next(servers, client(servers, "192.168.0.1")).address().host())
        .isNotEqualTo("10.0.0.3");
  }

  @Test
  void eachHashTriesAllServers() {
    for (TcpBalance balance : List.of(TcpBalance.HASH, TcpBalance.CONSISTENT_HASH)) {
      TcpServers servers = servers(balance, server("a"), server("b"), server("c"));

      assertThat(failAll(servers, "192.168.0.1")).containsExactlyInAnyOrder("a", "b", "c");
    }
  }

  @Test
  void randomFollowsTheWeights() {
    TcpServers servers = servers(TcpBalance.RANDOM, server("a", 2), server("b", 1));
    random.addAll(List.of(0, 1, 2));

    assertThat(connect(servers, 3)).containsExactly("a", "a", "b");
  }

  @Test
  void randomTwoTakesTheLessLoadedOne() {
    TcpServers servers = servers(TcpBalance.RANDOM_TWO, server("a"), server("b"), server("c"));
    random.addAll(List.of(0, 1, 0, 1, 0, 0, 2, 2, 1));

    assertThat(connect(servers, 4)).containsExactly("b", "a", "c", "b");
  }

  @Test
  void aFailedServerGetsNoClientsForItsTime() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"), server("b"));
    failOnce(servers, "a");

    assertThat(connect(servers, 3)).containsOnly("b");

    now += 10 * SECOND;
    assertThat(connect(servers, 2)).containsOnly("b");
    now += 1;
    assertThat(connect(servers, 3)).containsExactly("b", "b", "a"); // its weight comes back
  }

  @Test
  void afterItsTimeOneClientTriesTheServer() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"), server("b"));
    failOnce(servers, "a");
    now += 10 * SECOND + 1;
    connect(servers, 2);

    Peer tried = next(servers, client(servers, "127.0.0.1"));
    List<String> others = connect(servers, 3);

    assertThat(tried.address().host()).isEqualTo("a");
    assertThat(others).containsOnly("b");
    servers.connected(tried);
    assertThat(connect(servers, 2)).contains("a");
  }

  @Test
  void severalFailuresAreNeededIfMaxFailsSaysSo() {
    TcpServers servers =
        servers(TcpBalance.ROUND_ROBIN, patient("a", 2, 2, Duration.ZERO), server("b"));
    failOnce(servers, "a");

    assertThat(servers.isComplete()).isTrue();

    failOnce(servers, "a");
    assertThat(servers.isComplete()).isFalse();
  }

  @Test
  void maxFailsOfZeroNeverTakesAServerOut() {
    TcpServers servers =
        servers(TcpBalance.ROUND_ROBIN, patient("a", 1, 0, Duration.ZERO), server("b"));
    for (int i = 0; i < 5; i++) {
      failOnce(servers, "a");
    }

    assertThat(servers.isComplete()).isTrue();
  }

  @Test
  void theOnlyServerIsAlwaysTried() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"));
    servers.failed(next(servers, client(servers, "127.0.0.1")), "refused");

    assertThat(connect(servers)).isEqualTo("a");
    assertThat(servers.isReady()).isTrue();
  }

  @Test
  void backupsAreUsedWhileAllOthersAreOut() {
    for (TcpBalance balance : List.of(TcpBalance.ROUND_ROBIN, TcpBalance.LEAST_CONNECTIONS)) {
      TcpServers servers = servers(balance, server("a"), backup("x"), server("b"));
      assertThat(connect(servers, 4)).containsExactlyInAnyOrder("a", "b", "a", "b");

      failOnce(servers, "a");
      failOnce(servers, "b");

      assertThat(connect(servers, 2)).containsOnly("x");
    }
  }

  @Test
  void aClientTriesEachServerOnceAndThenTheBackups() {
    TcpServers servers =
        servers(TcpBalance.ROUND_ROBIN, server("a"), server("b"), backup("x"), down("d", 1));

    assertThat(failAll(servers, "127.0.0.1")).containsExactly("a", "b", "x");
  }

  @Test
  void aFullServerGetsNoClients() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, limited("a", 1), limited("b", 2));

    assertThat(connect(servers, 3)).containsExactly("a", "b", "b");
    assertThat(servers.next(client(servers, "127.0.0.1"))).isNull();
  }

  @Test
  void aFailureLowersTheEffectiveWeight() {
    TcpServers servers =
        servers(TcpBalance.ROUND_ROBIN, patient("a", 4, 2, Duration.ZERO), server("b", 4));
    failOnce(servers, "a"); // effective weight 2, and one more with each choice

    assertThat(connect(servers, 6)).containsExactly("b", "b", "a", "b", "a", "b");
  }

  @Test
  void slowStartGivesARecoveredServerItsWeightBySteps() {
    TcpServers servers =
        servers(
            TcpBalance.ROUND_ROBIN, patient("a", 1, 1, Duration.ofSeconds(100)), server("b", 1));
    failOnce(servers, "a");
    now += 11 * SECOND;
    while (!connect(servers).equals("a")) {
      // until it has been tried, and has recovered
    }
    now += 10 * SECOND;

    long early = connect(servers, 100).stream().filter("a"::equals).count();
    now += 100 * SECOND;
    long late = connect(servers, 100).stream().filter("a"::equals).count();

    assertThat(early).isBetween(5L, 15L);
    assertThat(late).isBetween(49L, 51L);
  }

  @Test
  void aServerIsDownFromAFailedConnectUntilOneSucceeds() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"));
    Peer only = servers.usable().getFirst();
    connect(servers);

    servers.failed(only, "refused");

    assertThat(servers.isReady()).as("the next client tries it").isTrue();
    assertThat(servers.answers()).isFalse();
    assertThat(servers.status().getFirst().trouble())
        .isEqualTo("it cannot be connected to: refused");
    now += 60 * SECOND;
    assertThat(servers.answers()).isFalse();

    connect(servers);
    assertThat(servers.answers()).isTrue();
  }

  @Test
  void aFailedHealthCheckTakesAServerOut() {
    TcpServers servers = servers(TcpBalance.ROUND_ROBIN, server("a"), server("b"));
    Peer first = servers.usable().getFirst();

    servers.unhealthy(first, "refused");

    assertThat(connect(servers, 3)).containsOnly("b");
    assertThat(servers.isReady()).isTrue();
    assertThat(servers.isComplete()).isFalse();
    assertThat(servers.status().getFirst().trouble()).isEqualTo("refused");

    servers.healthy(first);
    assertThat(connect(servers, 2)).contains("a");
  }

  @Test
  void changedSettingsKeepConnectionsAndCounts() {
    TcpServers servers = servers(TcpBalance.LEAST_CONNECTIONS, server("a"), server("b"));
    connect(servers, 4);
    Peer removed = servers.usable().getLast();

    servers.adopt(settings(TcpBalance.LEAST_CONNECTIONS, server("a"), server("c")));

    assertThat(servers.status())
        .extracting(status -> status.server().address().host(), Status::connections, Status::opened)
        .containsExactly(tuple("a", 2, 2L), tuple("c", 0, 0L));
    assertThat(connect(servers, 3)).contains("c");
    servers.closed(removed); // of a client that stayed
    assertThat(servers.connections()).isEqualTo(5);
  }
}
