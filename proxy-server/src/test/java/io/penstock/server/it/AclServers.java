package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.wire.RespClient;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A server with users, and Penstock with the same users in front of another server. */
final class AclServers implements AutoCloseable {

  private static final CommandTable TABLE = CommandTable.load();

  private final ServerProcess server = ServerProcess.start();
  private final ServerProcess node = ServerProcess.start();
  private final ProxyFixture proxy;

  private AclServers(UsersSettings users) {
    proxy = ProxyFixture.of(node).users(users).startReady();
  }

  /**
   * Starts them.
   *
   * @param users a name and rules each, separated by blanks
   */
  static AclServers start(String... users) {
    return start(settings(false, null, users), users);
  }

  static AclServers start(UsersSettings settings, String... users) {
    var made = new AclServers(settings);
    try (RespClient admin = made.server.connect()) {
      for (String user : users) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER"));
        List<String> rules = words(user);
        words.add(rules.getFirst());
        words.add("reset");
        words.addAll(rules.subList(1, rules.size()));
        String reply = admin.call(words.toArray(new String[0]));
        if (!reply.equals("+OK\r\n")) {
          throw new IllegalStateException(user + ": " + reply);
        }
      }
    }
    return made;
  }

  static UsersSettings settings(
      boolean passwordSelectsUser, @Nullable Path aclFile, String... users) {
    List<AclUser> all = new ArrayList<>();
    for (String user : users) {
      List<String> words = words(user);
      String name = words.getFirst();
      AclUser before = AclUser.created(name);
      try {
        List<String> rules = new ArrayList<>(List.of("reset"));
        rules.addAll(words.subList(1, words.size()));
        all.add(AclRules.change(before, rules, TABLE));
      } catch (AclRuleException e) {
        throw new IllegalArgumentException(e);
      }
    }
    return new UsersSettings(
        "penstock.users", all, aclFile, Map.<String, UserSettings>of(), passwordSelectsUser);
  }

  /** Selectors have blanks within their parentheses. */
  private static List<String> words(String user) {
    return Arrays.stream(user.split(" (?![^(]*\\))")).toList();
  }

  ProxyFixture proxy() {
    return proxy;
  }

  ServerProcess node() {
    return node;
  }

  /** Opens connections to the server and to Penstock. */
  Both connect() {
    return new Both(server.connect(), proxy.connect());
  }

  /** Opens connections of this user, whose password is its name. */
  Both connect(String user) {
    Both both = connect();
    Both.same(both.call("AUTH", user, user));
    return both;
  }

  @Override
  public void close() {
    proxy.close();
    server.close();
    node.close();
  }

  /** One client of each. */
  record Both(RespClient server, RespClient proxy) implements AutoCloseable {

    /** The replies of both. */
    record Replies(String server, String proxy) {}

    Replies call(String... words) {
      return new Replies(server.call(words), proxy.call(words));
    }

    Replies read() {
      return new Replies(server.read(), proxy.read());
    }

    void send(String... words) {
      server.send(words);
      proxy.send(words);
    }

    /** Returns the reply, which must be the same of both. */
    String ask(String... words) {
      return same(call(words));
    }

    String reply() {
      return same(read());
    }

    static String same(Replies replies) {
      assertThat(replies.proxy()).isEqualTo(replies.server());
      return replies.proxy();
    }

    @Override
    public void close() {
      server.close();
      proxy.close();
    }
  }
}
