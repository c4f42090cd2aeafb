package io.penstock.core.acl;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.acl.AclFile.AclFileException;
import io.penstock.core.wire.Splits;
import io.penstock.testkit.cluster.ServerProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Gives the same random rules to a real server and to {@link AclRules}. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AclRulesIT {

  private static final int USERS = 400;
  private static final int CHANGES = 4;

  private AclServer server;

  @TempDir private static Path folder;

  @BeforeAll
  void start() throws IOException {
    Path file = Files.createFile(folder.resolve("users.acl"));
    server = AclServer.start(ServerProcess.builder().option("aclfile", file.toString()));
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

  @Test
  void errorsInFilesAreThoseOfTheServer() throws IOException {
    Path file = folder.resolve("users.acl");
    List<String> texts =
        List.of(
            "user a on\n",
            "user a on >x ~* +@all\n\n  \nuser b off\r\n",
            "user a +nosuch >secret nonsense ~* +nosuch2 foo\n",
            "user a on\nuser a on\n",
            "user\nuser b on",
            "usr a\nUSER a\n",
            "user a (~x\n",
            "user a on (~x +get) (~y +@nosuch)\n",
            "user a on (~x +get  ~y)\n",
            "user a\tb on\n",
            "user a #12\nuser b ~* ~x\nuser c &* &x\nuser d <x\nuser e +config|get|x\n",
            "# a comment\n");
    for (String text : texts) {
      Files.writeString(file, text);
      String theirs = server.call("ACL", "LOAD");
      String ours = "+OK\r\n";
      try {
        List<AclUser> users = AclFile.read(text, file.toString(), server.table());
        for (AclUser user : users) {
          assertThat(server.comparable(AclText.line(user))).isEqualTo(server.line(user.name()));
        }
      } catch (AclFileException e) {
        ours = "-ERR " + e.getMessage() + "\r\n";
      }
      assertThat(ours).as(text).isEqualTo(theirs);
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
