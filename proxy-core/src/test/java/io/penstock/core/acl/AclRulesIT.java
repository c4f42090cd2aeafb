package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.wire.Splits;
import io.penstock.testkit.cluster.ServerProcess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Gives the same random rules to a real server and to {@link AclRules}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AclRulesIT {

  private static final int USERS = 400;
  private static final int CHANGES = 4;

  private AclServer server;

  @BeforeAll
  void start() {
    server = AclServer.start(ServerProcess.builder());
  }

  @AfterAll
  void stop() {
    if (server != null) {
      server.close();
    }
  }

  @Test
  void usersAreAsOnTheServer() {
    Random random = Splits.random();
    var rules = new RandomRules(random, server.table());
    for (int i = 0; i < USERS; i++) {
      server.call("ACL", "DELUSER", "u");
      AclUser user = AclUser.created("u");
      List<List<String>> lists = new ArrayList<>();
      for (int change = 0; change < CHANGES; change++) {
        lists.add(rules.list());
        user = change(user, lists);
      }
    }
  }

  private AclUser change(AclUser user, List<List<String>> lists) {
    String theirs = server.setUser("u", lists.getLast());
    String ours = "";
    AclUser changed = user;
    try {
      changed = AclRules.change(user, lists.getLast(), server.table());
    } catch (AclRuleException e) {
      ours = "ERR " + e.getMessage();
    }
    assertThat(ours).as("%s", lists).isEqualTo(theirs);
    if (theirs.isEmpty()) {
      compare(changed, lists);
    }
    return changed;
  }

  private void compare(AclUser user, List<List<String>> lists) {
    Map<Object, Object> theirs = server.getUser("u");
    if (server.keepsRules()) {
      assertThat(ours(user)).as("%s", lists).isEqualTo(theirs);
      assertThat(server.comparable(AclText.line(user))).as("%s", lists).isEqualTo(server.line("u"));
    }
    server.call("ACL", "DELUSER", "v");
    String line = AclText.line(user);
    List<String> words = List.of(line.split(" ", -1));
    assertThat(server.setUser("v", words.subList(2, words.size()))).as(line).isEmpty();
    assertThat(server.getUser("v")).as("%s: %s", lists, line).isEqualTo(theirs);
  }

  private Map<Object, Object> ours(AclUser user) {
    Map<Object, Object> fields = new LinkedHashMap<>();
    fields.put("flags", server.comparable(AclText.flags(user)));
    fields.put("passwords", user.passwords());
    fields.putAll(ours(user.selectors().getFirst()));
    fields.put("selectors", user.selectors().stream().skip(1).map(AclRulesIT::ours).toList());
    return fields;
  }

  private static Map<Object, Object> ours(AclSelector selector) {
    Map<Object, Object> fields = new LinkedHashMap<>();
    fields.put("commands", AclText.commands(selector));
    fields.put("keys", AclText.keys(selector));
    fields.put("channels", AclText.channels(selector));
    return fields;
  }
}
