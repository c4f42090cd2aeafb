package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.core.acl.AclText;
import io.penstock.core.acl.AclUser;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UserSettings.RateLimit;
import io.penstock.core.users.UsersSettings;
import io.penstock.server.start.StartConfiguration;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

/** {@code penstock.users}, from a file to the core's settings. */
class UsersConfigurationTest {

  private static final String UPSTREAM = "  transpond.local.resource: redis://h:1\n";

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private static ProxySettings settings(String yaml) throws IOException {
    var environment = new StandardEnvironment();
    var resource = new ByteArrayResource(yaml.getBytes(StandardCharsets.UTF_8));
    new YamlPropertySourceLoader()
        .load("file", resource)
        .forEach(environment.getPropertySources()::addFirst);
    return StartConfiguration.read(environment).settings();
  }

  private static UsersSettings users(String yaml) throws IOException {
    return users(settings("penstock:\n" + UPSTREAM + yaml), 0);
  }

  private static UsersSettings users(ProxySettings settings, int listener) {
    return Objects.requireNonNull(settings.listeners().get(listener).listen().users());
  }

  private static ConfigurationFault fault(String yaml) {
    return Faults.of(() -> settings("penstock:\n" + UPSTREAM + yaml));
  }

  private static List<String> lines(UsersSettings users) {
    return users.users().stream().map(AclText::line).toList();
  }

  private static AclUser only(UsersSettings users) {
    assertThat(users.users()).hasSize(1);
    return users.users().getFirst();
  }

  private static boolean accepts(AclUser user, String password) {
    return user.accepts(password.getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void withoutUsersTheListenerHasItsPasswordAlone() throws IOException {
    ProxySettings settings = settings("penstock:\n" + UPSTREAM + "  password: secret\n");

    assertThat(settings.listeners().getFirst().listen().users()).isNull();
  }

  @Test
  void rulesAreThoseOfRedis() throws IOException {
    UsersSettings users =
        users(
            """
              users:
                rules:
                  - "user app on >secret ~app:* %R~shared:* &news.* +@read -get (+get ~x)"
                  - "user default off"
            """);

    assertThat(users.scope()).isEqualTo("penstock.users");
    assertThat(users.aclFile()).isNull();
    assertThat(lines(users).getFirst())
        .startsWith("user app on ")
        .contains(" ~app:* %R~shared:* ", " &news.* ", " +@read -get (~x ");
    assertThat(lines(users).getLast()).startsWith("user default off ");
    assertThat(accepts(users.users().getFirst(), "secret")).isTrue();
    assertThat(accepts(users.users().getFirst(), "other")).isFalse();
  }

  @Test
  void settingsOfAUserAreItsLimits() throws IOException {
    UsersSettings users =
        users(
            """
              users:
                rules: ["user app on nopass ~* +@all", "user team:x on nopass ~* +@all"]
                password-selects-user: true
                settings:
                  app: { rate-limit: 5000/s, burst: 10000, max-connections: 500, max-bytes-in-flight: 1MB }
                  Batch_1: { rate-limit: 30/m, excess: wait }
                  "[team:x]": { key-prefix: "{x}:", key-prefix-channels: true, key-prefix-dbsize: true }
            """);

    assertThat(users.passwordSelectsUser()).isTrue();
    assertThat(users.settings().get("app"))
        .isEqualTo(
            new UserSettings(
                new RateLimit(5_000, Duration.ofSeconds(1), 10_000, false),
                500,
                1 << 20,
                null,
                null,
                false));
    assertThat(users.settings().get("Batch_1"))
        .isEqualTo(
            new UserSettings(
                new RateLimit(30, Duration.ofMinutes(1), 1, true), 0, 0, null, null, false));
    assertThat(users.settings().get("team:x"))
        .isEqualTo(
            new UserSettings(null, 0, 0, null, new Prefix("{x}:", true, false, true), false));
  }

  @Test
  void aPrefixOfAUserThatDoesNotExistIsRejected() {
    assertThatThrownBy(() ->
            users(
                """
                  users:
                    rules: ["user team:a on nopass ~* +@all"]
                    settings: { "team:a": { key-prefix: "a:" } }
                """))
        .hasMessageContaining("there is no user teama");
  }

  @Test
  void aUserMayBePassedThroughUnlessItIsDefault() throws IOException {
    String text =
        """
          users:
            rules: ["user %1$s on >secret ~* +@all"]
            settings.%1$s.pass-through: true
        """;

    assertThat(users(text.formatted("app")).settings().get("app"))
        .isEqualTo(new UserSettings(null, 0, 0, null, null, true));
    assertThatThrownBy(() -> users(text.formatted("default")))
        .hasMessageContaining("penstock.users.settings.default.pass-through")
        .hasMessageContaining("without having given a password");
  }

  @Test
  void passwordsOfFilesAreAdded() throws IOException {
    Path first = Files.writeString(folder.resolve("first"), "p\u00e4ss word\nmore");
    Path second = Files.writeString(folder.resolve("second"), "other");
    UsersSettings users =
        users(
            """
              users:
                rules: ["user app on >inline ~* +@all"]
                settings.app.password-files: ["%s", "%s"]
            """
                .formatted(first, second));

    assertThat(List.of("inline", "p\u00e4ss word", "other"))
        .allMatch(password -> accepts(only(users), password));
    assertThat(accepts(only(users), "more")).isFalse();
  }

  @Test
  void anAclFileIsInRedissFormat() throws IOException {
    Path file = Files.writeString(folder.resolve("users.acl"), "\nuser app on nopass ~a* +get\n");
    UsersSettings users = users("  users: { acl-file: \"%s\" }\n".formatted(file));

    assertThat(users.aclFile()).isEqualTo(file);
    assertThat(only(users).name()).isEqualTo("app");
  }

  @Test
  void anErrorOfAnAclFileHasItsLine() throws IOException {
    Path file =
        Files.writeString(folder.resolve("users.acl"), "user a on\nuser app on >s3cret +gett\n");
    ConfigurationFault fault = fault("  users: { acl-file: \"%s\" }\n".formatted(file));

    assertThat(fault.key()).isEqualTo("penstock.users.acl-file");
    assertThat(fault.reason())
        .contains(file + ":2: Error in applying operation '+gett': Unknown command")
        .doesNotContain("s3cret", "WARNING");
  }

  @Test
  void aListenerMayHaveUsersOfItsOwn() throws IOException {
    ProxySettings settings =
        settings(
            """
            penstock:
              transpond.local.resource: redis://h:1
              users.rules: ["user app on nopass ~* +@all"]
              listeners:
                a: { port: 1 }
                b: { port: 2, users: { rules: ["user own on nopass"] } }
                c: { port: 3 }
            """);

    assertThat(users(settings, 0)).isSameAs(users(settings, 2));
    assertThat(only(users(settings, 0)).name()).isEqualTo("app");
    assertThat(only(users(settings, 1)).name()).isEqualTo("own");
    assertThat(users(settings, 1).scope()).isEqualTo("penstock.listeners.b.users");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          users: { rules: [user app +get +nosuch] } | users.rules[0] | user app: Unknown command or category name in ACL: +nosuch
          users: { rules: [app on] } | users.rules[0] | it does not begin with the word user and the name of one
          users: { rules: [user] } | users.rules[0] | it does not begin with the word user and the name of one
          users: { rules: [user a on, user a off] } | users.rules[1] | user a is in the list twice
          users: { rules: [user a <s3cret] } | users.rules[0] | user a: The password you are trying to remove from the user does not exist
          users: { rules: [user a on], acl-file: /x } | users.acl-file | penstock.users.rules is set too
          users: { acl-file: /no/such } | users.acl-file | there is no such file
          users: { acl-file: / } | users.acl-file | it is no regular file
          users: { settings: { a: { burst: 2 } } } | users.settings.a.burst | there are no users
          users: { rules: [user a on], settings: { a: { burst: 2 } } } | users.settings.a.burst | it has no effect without rate-limit
          users: { rules: [user a on], settings: { a: { excess: wait } } } | users.settings.a.excess | it has no effect without rate-limit
          users: { rules: [user a on], settings: { a: { rate-limit: 5 } } } | users.settings.a.rate-limit | it is not a number of requests from 1 to 1000000000 in s, m or h
          users: { rules: [user a on], settings: { a: { rate-limit: 0/s } } } | users.settings.a.rate-limit | it is not a number
          users: { rules: [user a on], settings: { a: { key-prefix-scripts: true } } } | users.settings.a.key-prefix-scripts | it has no effect without key-prefix
          users: { rules: [user a on], settings: { a: { upstream: default } } } | users.settings.a.upstream | a user's own upstream is not supported yet
          users: { rules: [user a on], settings: { a: { password-files: [/no/such] } } } | users.settings.a.password-files[0] | there is no such file
          users: { rules: [user a on], settings: { b: { password-files: [/etc/hostname] } } } | users.settings.b.password-files[0] | there is no rule of user b
          users: { acl-file: /x, settings: { a: { password-files: [/x] } } } | users.settings.a.password-files[0] | users of acl-file have their passwords there
          users: { rules: [user a on], setings: { } } | users.setings | there is no such key
          users: { rules: [user a on], settings: { a: { rate: 5/s } } } | users.settings.a.rate | there is no such key
          users: { rules: [user a on] }, password: secret | password | there are users, and each has its own passwords
          """)
  void whatIsWrongIsSaid(String yaml, String key, String reason) {
    ConfigurationFault fault = fault("  " + yaml.replace(" }, p", " }\n  p") + "\n");

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.reason()).contains(reason);
    assertThat(fault.toString()).doesNotContain("s3cret");
  }

  @Test
  void aTcpListenerHasNoUsers() {
    ConfigurationFault fault =
        Faults.of(() ->
            settings(
                """
                penstock:
                  listeners.raw: { port: 1, upstream: raw, users: { rules: ["user a on"] } }
                  upstreams.raw.tcp.servers: h:1
                """));

    assertThat(fault.key()).isEqualTo("penstock.listeners.raw.users.rules[0]");
  }
}
