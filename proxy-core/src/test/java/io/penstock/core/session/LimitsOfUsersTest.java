package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.acl.AclUser;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UserSettings.RateLimit;
import io.penstock.core.users.UserUsage;
import io.penstock.core.users.UserUsage.Limit;
import io.penstock.core.users.Users;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits of users, applied to what their clients send. */
class LimitsOfUsersTest {

  private static final String GET = Wire.request("GET", "b");
  private static final String PING = Wire.request("PING");
  private static final String RATE = text(ErrorReplies.USER_RATE);
  private static final String BYTES = text(ErrorReplies.USER_BYTES);
  private static final String CONNECTIONS = text(ErrorReplies.USER_CONNECTIONS);
  private static final Duration HOUR = Duration.ofHours(1);

  private @Nullable Rig rig;

  @AfterEach
  void close() {
    if (rig != null) {
      rig.close();
    }
  }

  private static String text(byte[] reply) {
    return new String(reply, StandardCharsets.US_ASCII);
  }

  private static AclUser free(String name) {
    return AclUser.unrestricted(name);
  }

  private static UsersSettings settings(UserSettings ofApp) {
    return new UsersSettings("test", List.of(free("app")), null, Map.of("app", ofApp));
  }

  private Users start(UserSettings ofApp) {
    Users users = new Users(settings(ofApp));
    rig = new RigOptions().users(users).start();
    return users;
  }

  private Rig rig() {
    return Objects.requireNonNull(rig);
  }

  private Peer app() {
    return rig().client().send(Wire.request("AUTH", "app", "any")).expect("+OK\r\n");
  }

  private static UserUsage usage(Users users) {
    return Objects.requireNonNull(users.now().find("app")).usage();
  }

  private static UserSettings rate(int requests, Duration period, int burst, boolean waits) {
    return new UserSettings(new RateLimit(requests, period, burst, waits), 0, 0, null, null, false);
  }

  @Test
  void requestsAboveTheRateAreRejectedForAllClients() {
    Users users = start(rate(1, HOUR, 3, false));
    Peer one = app();
    Peer other = app();

    one.send(PING.repeat(2)).expect("+PONG\r\n+PONG\r\n");
    other.send(PING.repeat(2)).expect("+PONG\r\n" + RATE);
    one.send(PING).expect(RATE);
    rig().client().send(PING).expect("+PONG\r\n");

    assertThat(usage(users).rejections(Limit.RATE)).isEqualTo(2);
    assertThat(usage(users).logins()).isEqualTo(2);
  }

  @Test
  void aRejectionWithinATransactionAbortsIt() {
    start(rate(1, HOUR, 2, false));

    app().send(Wire.request("MULTI") + GET + GET).expect("+OK\r\n+QUEUED\r\n" + RATE);
  }

  @Test
  void requestsAboveTheRateWaitIfConfigured() {
    Users users = start(rate(50, Duration.ofSeconds(1), 1, true));

    app().send(PING.repeat(5)).expect("+PONG\r\n".repeat(5));

    assertThat(usage(users).delays()).isBetween(1L, 4L); // fewer if this machine is slow
    assertThat(usage(users).rejections(Limit.RATE)).isZero();
  }

  @Test
  void aClientThatWaitsMayLeave() {
    Users users = start(rate(1, HOUR, 1, true));
    Peer client = app().send(PING + PING).expect("+PONG\r\n");
    await().until(() -> usage(users).delays() == 1);

    client.close();

    await().until(() -> usage(users).clients() == 0);
  }

  @Test
  void whatIsAboutTheConnectionHasNoRate() {
    start(rate(1, HOUR, 1, false));
    Peer client = app().send(PING).expect("+PONG\r\n");

    client.send(Wire.request("AUTH", "app", "x")).expect("+OK\r\n");
    client.send(PING).expect(RATE);
    client.send(Wire.request("RESET")).expect("+RESET\r\n");
    client.send(PING).expect("+PONG\r\n");
  }

  @Test
  void bytesInFlightAreCountedUntilTheReply() {
    Users users = start(new UserSettings(null, 0, GET.length() + 1L, null, null, false));
    Peer node = rig().connected(0);
    Peer client = app().send(GET + GET);
    node.expect(GET);
    assertThat(usage(users).bytesInFlight()).isEqualTo(GET.length());

    node.send("$1\r\n1\r\n");

    client.expect("$1\r\n1\r\n" + BYTES);
    assertThat(usage(users).bytesInFlight()).isZero();
    assertThat(usage(users).rejections(Limit.BYTES_IN_FLIGHT)).isOne();
  }

  @Test
  void bytesOfAClientThatLeavesAreFreeAgain() {
    Users users = start(new UserSettings(null, 0, 1_000, null, null, false));
    Peer node = rig().connected(0);
    Peer client = app().send(GET);
    node.expect(GET);

    client.close();
    node.send("$1\r\n1\r\n");

    await().until(() -> usage(users).bytesInFlight() == 0);
  }

  @Test
  void aLoginAboveTheMostConnectionsIsRejected() {
    Users users = start(new UserSettings(null, 2, 0, null, null, false));
    Peer one = app();
    app();
    Peer third = rig().client();

    third.send(Wire.request("AUTH", "app", "any")).expect(CONNECTIONS);
    third.send(Wire.request("ACL", "WHOAMI")).expect("$7\r\ndefault\r\n");
    third.send(Wire.request("HELLO", "2", "AUTH", "app", "any")).expect(CONNECTIONS);
    one.send(Wire.request("RESET")).expect("+RESET\r\n");
    third.send(Wire.request("AUTH", "app", "any")).expect("+OK\r\n");

    assertThat(usage(users).clients()).isEqualTo(2);
    assertThat(usage(users).rejections(Limit.CONNECTIONS)).isEqualTo(2);
  }

  @Test
  void aClientWithoutLoginAboveTheLimitIsRejected() {
    var one = new UserSettings(null, 1, 0, null, null, false);
    Users users =
        new Users(new UsersSettings("test", List.of(free("app")), null, Map.of("default", one)));
    rig = new RigOptions().users(users).start();
    Peer first = rig().client().send(PING).expect("+PONG\r\n");
    Peer second = rig().client().send(PING + GET).expect(CONNECTIONS + CONNECTIONS);

    second.send(Wire.request("AUTH", "app", "x") + PING).expect("+OK\r\n+PONG\r\n");
    second.send(Wire.request("RESET") + PING).expect("+RESET\r\n" + CONNECTIONS);
    first.close();
    await().until(() -> users.now().defaultUser().usage().clients() == 0);
    second.send(PING).expect("+PONG\r\n");
  }

  @Test
  void changedLimitsApplyToClientsThatAreConnected() {
    Users users = start(UserSettings.NONE);
    Peer client = app().send(PING).expect("+PONG\r\n");

    users.adopt(settings(rate(1, HOUR, 1, false)));
    client.send(PING + PING).expect("+PONG\r\n" + RATE);
    users.adopt(settings(UserSettings.NONE));
    client.send(PING).expect("+PONG\r\n");

    assertThat(usage(users).clients()).isOne();
  }

  @Test
  void aClientWhoseKeyPrefixChangesIsClosed() {
    Users users = start(prefix("a:", false));
    Peer client = app().send(PING).expect("+PONG\r\n");

    users.adopt(settings(prefix("a:", true)));
    client.send(PING).expect("+PONG\r\n");
    users.adopt(settings(prefix("b:", true)));

    client.expectClosed();
    app().send(PING).expect("+PONG\r\n");
  }

  private static UserSettings prefix(String text, boolean counts) {
    return new UserSettings(null, 0, 0, null, new Prefix(text, false, false, counts), false);
  }
}
