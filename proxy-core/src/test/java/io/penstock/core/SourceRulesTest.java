package io.penstock.core;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.SynchronizedTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules of docs/architecture.md ("Style") that cannot be checked on class files. */
class SourceRulesTest {

  private static final Path SOURCES = Path.of("src/main/java");
  private static final Path ALL_MODULES = Path.of("..");
  private static final Path BENCH = Path.of("../proxy-bench");
  private static final Path TEST_SOURCES = Path.of("src", "test", "java");
  private static final int METHOD_LINES = 40;
  private static final int PARAMETERS = 5;
  private static final int MODULE_DEPTH = 5; // depth of the test source folders below the root
  private static final int TEST_NAME_LENGTH = 60;
  private static final Pattern FIRST_ARGUMENT =
      Pattern.compile("\\b(argEqualsIgnoreCase\\(0,|equalsIgnoreCase\\(\\w+, 0,|text\\(0\\))");
  private static final Pattern TEST_METHOD = Pattern.compile("\\bvoid (\\w+)\\(");

  private static final List<String> longMethods = new ArrayList<>();
  private static final List<String> wideMethods = new ArrayList<>();
  private static final List<String> synchronizedBlocks = new ArrayList<>();

  private static List<Path> sources(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      return files.filter(file -> file.toString().endsWith(".java")).sorted().toList();
    }
  }

  @BeforeAll
  static void readSources() throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (StandardJavaFileManager files =
        compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null,
                  files,
                  null,
                  List.of("-proc:none"),
                  null,
                  files.getJavaFileObjectsFromPaths(sources(SOURCES)));
      SourcePositions positions = Trees.instance(task).getSourcePositions();
      for (CompilationUnitTree unit : task.parse()) {
        new Reader(unit, positions).scan(unit, null);
      }
    }
  }

  private static final class Reader extends TreeScanner<Void, Void> {

    private final CompilationUnitTree unit;
    private final SourcePositions positions;
    private final LineMap lines;

    Reader(CompilationUnitTree unit, SourcePositions positions) {
      this.unit = unit;
      this.positions = positions;
      this.lines = unit.getLineMap();
    }

    @Override
    public Void visitMethod(MethodTree method, Void nothing) {
      long first = lines.getLineNumber(positions.getStartPosition(unit, method));
      long end = positions.getEndPosition(unit, method);
      long length = end < 0 ? 0 : lines.getLineNumber(end) - first + 1;
      if (length >= METHOD_LINES) {
        longMethods.add(place(first) + " " + method.getName() + ": " + length + " lines");
      }
      boolean isConstructor = method.getReturnType() == null;
      if (!isConstructor && method.getParameters().size() > PARAMETERS) {
        wideMethods.add(place(first) + " " + method.getName());
      }
      return super.visitMethod(method, null);
    }

    @Override
    public Void visitSynchronized(SynchronizedTree block, Void nothing) {
      long line = lines.getLineNumber(positions.getStartPosition(unit, block));
      synchronizedBlocks.add(place(line));
      return super.visitSynchronized(block, null);
    }

    private String place(long line) {
      return Path.of(unit.getSourceFile().getName()).getFileName() + ":" + line;
    }
  }

  @Test
  void methodsStayUnderFortyLines() {
    assertThat(longMethods).as("a method must fit a screen").isEmpty();
  }

  @Test
  void methodsHaveAtMostFiveParameters() {
    assertThat(wideMethods).as("methods with more parameters should take a record").isEmpty();
  }

  @Test
  void nothingIsSynchronized() {
    assertThat(synchronizedBlocks)
        .as("an event loop that is blocked by a monitor stops all of its clients")
        .isEmpty();
  }

  @Test
  void commandsAreNotComparedByTheirFirstArgument() throws IOException {
    List<Path> comparing = new ArrayList<>();
    for (Path file : sources(SOURCES)) {
      if (FIRST_ARGUMENT.matcher(Files.readString(file)).find()) {
        comparing.add(file.getFileName());
      }
    }
    assertThat(comparing)
        .as("facts about commands stand in handling.table; POST and Host: are no commands")
        .containsExactly(Path.of("Authentication.java"));
  }

  /** Returns the test sources of all modules. */
  private static List<Path> testSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (Stream<Path> folders =
        Files.find(ALL_MODULES, MODULE_DEPTH, (file, _) -> file.endsWith(TEST_SOURCES))) {
      for (Path folder : folders.toList()) {
        sources.addAll(sources(folder));
      }
    }
    return sources;
  }

  @Test
  void packagesOfTheCoreAreDeclaredOnlyInTheCore() throws IOException {
    try (Stream<Path> files = Files.walk(BENCH)) {
      assertThat(
              files.filter(
                  file -> file.toString().matches(".*/src/\\w+/java/io/penstock/core/.*\\.java")))
          .as("classes that another module needs must be public, or in the test jar")
          .isEmpty();
    }
  }

  @Test
  void testNamesHaveAtMostSixtyCharacters() throws IOException {
    List<String> names = new ArrayList<>();
    for (Path file : testSources()) {
      TEST_METHOD
          .matcher(Files.readString(file))
          .results()
          .map(method -> method.group(1))
          .forEach(names::add);
    }
    assertThat(names).hasSizeGreaterThan(1_000);
    assertThat(names)
        .as("a test name is a short sentence")
        .allMatch(name -> name.length() <= TEST_NAME_LENGTH);
  }
}
