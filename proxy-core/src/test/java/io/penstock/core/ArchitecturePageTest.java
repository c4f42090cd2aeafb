package io.penstock.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The classes that docs/architecture.md names exist. */
class ArchitecturePageTest {

  private static final Path ROOT = Path.of("..");
  private static final Path PAGE = ROOT.resolve("docs/architecture.md");

  /** A simple class name in mixed case. */
  private static final Pattern CLASS = Pattern.compile("\\b([A-Z][a-z]+(?:[A-Z][a-z0-9]+)*)\\b");

  private static final Pattern DIAGRAM = Pattern.compile("```mermaid\n(.*?)```", Pattern.DOTALL);
  private static final Pattern PARTICIPANT = Pattern.compile("participant (\\w+)");
  private static final Pattern CODE = Pattern.compile("`([A-Z]\\w+)(?:\\.\\w+)*(?:\\(\\))?`");
  private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w+)\\.(\\w+)(?:\\(\\))?`");
  private static final Pattern NAMED_IN_STEP =
      Pattern.compile("\\b([A-Z][a-z]+[A-Z]\\w+|[A-Z][a-z]+(?=\\.[a-zA-Z]))\\b");

  private static String page() throws IOException {
    return Files.readString(PAGE);
  }

  /** Simple names of all classes of all modules, tests among them. */
  private static Set<String> classes() throws IOException {
    return sources().keySet();
  }

  private static Set<String> all(Pattern pattern, String text) {
    Set<String> found = new TreeSet<>();
    Matcher matcher = pattern.matcher(text);
    while (matcher.find()) {
      found.add(matcher.group(1));
    }
    return found;
  }

  @Test
  void diagramsNameExistingClasses() throws IOException {
    String page = page();
    Matcher diagrams = DIAGRAM.matcher(page);
    Set<String> classes = classes();
    int count = 0;
    while (diagrams.find()) {
      count++;
      String diagram = diagrams.group(1);
      assertThat(classes).containsAll(all(PARTICIPANT, diagram));
      assertThat(classes).containsAll(all(NAMED_IN_STEP, diagram));
    }

    assertThat(count).as("GET, MGET, EXEC, BLPOP, SUBSCRIBE, MOVED").isEqualTo(6);
  }

  @Test
  void everyClassNamedOnThePageExists() throws IOException {
    Set<String> named = all(CODE, page().replaceAll("(?s)```.*?```", ""));

    assertThat(named).as("names of classes in code spans").hasSizeGreaterThan(40);
    assertThat(classes()).containsAll(named.stream().filter(this::isClassName).toList());
  }

  /** Distinguishes class names from names of commands, which are in capitals. */
  private boolean isClassName(String name) {
    return CLASS.matcher(name).matches();
  }

  @Test
  void eachMemberThatThePageNamesExists() throws IOException {
    Map<String, String> sources = sources();
    String text = page().replaceAll("(?s)```.*?```", "");

    List<MatchResult> members =
        MEMBER
            .matcher(text)
            .results()
            .filter(member -> sources.containsKey(member.group(1)))
            .toList();

    assertThat(members).as("members in code spans").hasSizeGreaterThan(3);
    assertThat(members)
        .allSatisfy(member ->
            assertThat(sources.get(member.group(1)))
                .as(member.group())
                .containsPattern("\\b" + member.group(2) + "\\b"));
  }

  private static Map<String, String> sources() throws IOException {
    Map<String, String> sources = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(file -> file.toString().matches(".*/src/.*\\.java")).toList()) {
        sources.put(file.getFileName().toString().replace(".java", ""), Files.readString(file));
      }
    }
    return sources;
  }
}
