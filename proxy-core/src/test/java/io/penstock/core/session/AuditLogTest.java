package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import io.penstock.core.users.AuditLog;
import io.penstock.core.users.Users;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** What the logger {@code penstock.audit} says about clients. */
class AuditLogTest {

  private final Logger logger = (Logger) LoggerFactory.getLogger(AuditLog.LOGGER);
  private final ListAppender<ILoggingEvent> events = new ListAppender<>();
  private @Nullable Level before;
  private @Nullable Rig rig;

  @BeforeEach
  void listen() {
    before = logger.getLevel();
    logger.setLevel(Level.INFO);
    logger.setAdditive(false);
    events.start();
    logger.addAppender(events);
  }

  @AfterEach
  void close() {
    logger.detachAppender(events);
    logger.setAdditive(true);
    logger.setLevel(before);
    if (rig != null) {
      rig.close();
    }
  }

  private Peer client() throws Exception {
    AclUser app =
        AclRules.change(
            AclUser.created("app"),
            List.of("on", ">s3cret", "~app:*", "+@all", "-flushall"),
            CommandTable.load());
    var settings = new UsersSettings("test", List.of(app), null, Map.of());
    Rig started = new RigOptions().users(new Users(settings)).start();
    rig = started;
    return started.client();
  }

  private List<String> lines() {
    return events.list.stream()
        .map(event -> event.getFormattedMessage().replaceFirst(": client \\d+ of .*", ""))
        .toList();
  }

  private static @Nullable Object field(ILoggingEvent event, String key) {
    return event.getKeyValuePairs().stream()
        .filter(pair -> pair.key.equals(key))
        .map(pair -> pair.value)
        .findFirst()
        .orElse(null);
  }

  @Test
  void loginsAndDenialsAndAdministrationAreLogged() throws Exception {
    Peer client = client();

    client
        .send(Wire.request("AUTH", "app", "wr0ng"))
        .expect("-WRONGPASS invalid username-password pair or user is disabled.\r\n")
        .send(Wire.request("AUTH", "app", "s3cret"))
        .expect("+OK\r\n")
        .send(Wire.request("FLUSHALL"))
        .expect("-NOPERM this user has no permissions to run the 'flushall' command\r\n")
        .send(Wire.request("GET", "k3y"))
        .expect(
            "-NOPERM this user has no permissions to access one of the keys used as arguments\r\n")
        .send(Wire.request("ACL", "SETUSER", "other", "on", ">n3w"))
        .expect("+OK\r\n");

    assertThat(lines())
        .containsExactly(
            "Login as user app failed",
            "User app logged in by password",
            "Request flushall of user app was denied (command)",
            "Request get of user app was denied (key)",
            "Request acl|setuser of user app is executed");
    assertThat(events.list)
        .extracting(event -> field(event, "event"))
        .containsExactly("login-failed", "login", "denied", "denied", "administration");
    assertThat(events.list)
        .allSatisfy(event -> {
          assertThat(field(event, "user")).isEqualTo("app");
          assertThat(String.valueOf(field(event, "address"))).startsWith("127.0.0.1:");
          assertThat(event.getFormattedMessage() + event.getKeyValuePairs())
              .doesNotContain("s3cret", "wr0ng", "n3w", "k3y");
        });
  }

  @Test
  void aNameThatAClientChoosesMakesNoLineOfItsOwn() throws Exception {
    String name = "x\r\nUser app logged in by password" + "y".repeat(1_000);

    client()
        .send(Wire.request("AUTH", name, "wr0ng"))
        .expect("-WRONGPASS invalid username-password pair or user is disabled.\r\n");

    assertThat(lines())
        .singleElement()
        .asString()
        .startsWith("Login as user x??User app logged in by password")
        .doesNotContain("\r", "\n")
        .hasSizeLessThan(300);
  }

  @Test
  void offItCostsNothingAndSaysNothing() throws Exception {
    logger.setLevel(Level.WARN);

    client().send(Wire.request("AUTH", "app", "s3cret")).expect("+OK\r\n");

    assertThat(events.list).isEmpty();
  }
}
