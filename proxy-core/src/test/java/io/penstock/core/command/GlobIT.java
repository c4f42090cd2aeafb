package io.penstock.core.command;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.spec.Glob;
import io.penstock.core.wire.Splits;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Matches random patterns against the members of a set on a real server. */
class GlobIT {

  private static final int PATTERNS = 20_000;
  private static final int MEMBERS = 200;

  /** ASCII only: beyond it, ranges depend on whether the server's {@code char} is signed. */
  private static final String LETTERS = "aabbABCz*?[]^-\\|_";

  private static String random(Random random, int most) {
    var text = new StringBuilder();
    for (int i = random.nextInt(most + 1); i > 0; i--) {
      text.append(LETTERS.charAt(random.nextInt(LETTERS.length())));
    }
    return text.toString();
  }

  @Test
  void patternsMatchAsOnTheServer() {
    Random random = Splits.random();
    try (RealServer server = RealServer.start()) {
      Set<String> members = new TreeSet<>(Set.of("", "a", "é", "\u00ff"));
      while (members.size() < MEMBERS) {
        members.add(random(random, 5));
      }
      members.forEach(member -> server.call("SADD", "set", member));
      List<List<String>> requests = new ArrayList<>();
      for (int i = 0; i < PATTERNS; i++) {
        String pattern = "?*" + random(random, 9); // SSCAN treats a single star as no pattern
        requests.add(
            List.of("SSCAN", "set", "0", "COUNT", "1000", "MATCH", pattern.substring(i % 3)));
      }
      List<String> replies = server.call(requests);
      for (int i = 0; i < PATTERNS; i++) {
        assertThat(bulks(replies.get(i)))
            .as("%s", requests.get(i))
            .isEqualTo(matching(members, requests.get(i).getLast()));
      }
    }
  }

  private static Set<String> matching(Set<String> members, String pattern) {
    Set<String> matching = new TreeSet<>(members);
    if (!pattern.equals("*")) {
      matching.removeIf(member -> !Glob.exact(pattern).matches(member));
    }
    return matching;
  }

  /** Returns the members in a reply. No member contains a line end. */
  private static Set<String> bulks(String reply) {
    String[] lines = reply.split("\r\n", -1);
    Set<String> bulks = new TreeSet<>();
    for (int i = 5; i < lines.length; i += 2) {
      bulks.add(lines[i]);
    }
    return bulks;
  }
}
