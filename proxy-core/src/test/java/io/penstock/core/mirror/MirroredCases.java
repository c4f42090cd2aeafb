package io.penstock.core.mirror;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The cases of {@code mirrored-writes.txt}, which says how they are written. */
final class MirroredCases {

  private static final Pattern HEADING = Pattern.compile("== ([^\\[]*?)((?: \\[[^\\]]*\\])*)");
  private static final Pattern REPEATED = Pattern.compile("(\\d+) x (.*)");

  private MirroredCases() {}

  /**
   * @param needs the command without which the case is skipped; null if there is none
   * @param own whether a server does not replicate what the case changes
   */
  record Case(String name, @Nullable String needs, boolean own, List<String> calls) {
    @Override
    public String toString() {
      return name;
    }
  }

  static List<Case> read() {
    List<Case> cases = new ArrayList<>();
    for (String line : text().split("\n", -1)) {
      Matcher heading = HEADING.matcher(line);
      if (heading.matches()) {
        Matcher needs = Pattern.compile("\\[needs ([^\\]]*)\\]").matcher(heading.group(2));
        boolean own = heading.group(2).contains("[own]");
        cases.add(
            new Case(
                heading.group(1), needs.find() ? needs.group(1) : null, own, new ArrayList<>()));
      } else if (!line.isBlank() && !line.startsWith("#")) {
        addCalls(line, cases.getLast().calls());
      }
    }
    return cases;
  }

  private static void addCalls(String line, List<String> into) {
    Matcher repeated = REPEATED.matcher(line);
    if (repeated.matches()) {
      for (int i = 1; i <= Integer.parseInt(repeated.group(1)); i++) {
        into.add(repeated.group(2).replace(":i", Integer.toString(i)));
      }
    } else {
      into.add(line);
    }
  }

  private static String text() {
    try (InputStream in = MirroredCases.class.getResourceAsStream("mirrored-writes.txt")) {
      if (in == null) {
        throw new IllegalStateException("no cases");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
