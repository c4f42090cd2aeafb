package io.penstock.server.it;

import io.penstock.core.acl.AclUser;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UsersSettings;
import io.penstock.testkit.wire.RespClient;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Users with key prefixes, who may do everything else, with any password. */
final class PrefixedUsers {

  private PrefixedUsers() {}

  /** Returns users with these names and prefixes; clients that do not log in have none. */
  static UsersSettings of(Map<String, Prefix> prefixes) {
    Map<String, UserSettings> settings = new HashMap<>();
    prefixes.forEach(
        (name, prefix) -> settings.put(name, new UserSettings(null, 0, 0, null, prefix, false)));
    List<AclUser> users = prefixes.keySet().stream().map(AclUser::unrestricted).toList();
    return new UsersSettings("penstock.users", users, null, settings);
  }

  /** Connects a client that logs in with RESP2 or RESP3. */
  static RespClient connect(ProxyFixture proxy, String user, int protocol) {
    RespClient client = proxy.connect();
    String welcome = client.call("HELLO", Integer.toString(protocol), "AUTH", user, "any");
    if (welcome.startsWith("-")) {
      client.close();
      throw new IllegalStateException(user + ": " + welcome);
    }
    return client;
  }
}
