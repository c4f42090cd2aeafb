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
import java.util.stream.Stream;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The rules of docs/architecture.md ("Style") that class files do not show. */
class SourceRulesTest {

  private static final Path SOURCES = Path.of("src/main/java");
  private static final int METHOD_LINES = 40;
  private static final int PARAMETERS = 5;

  private static final List<String> longMethods = new ArrayList<>();
  private static final List<String> wideMethods = new ArrayList<>();
  private static final List<String> synchronizedBlocks = new ArrayList<>();

  private static List<Path> sources() throws IOException {
    try (Stream<Path> files = Files.walk(SOURCES)) {
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
                  files.getJavaFileObjectsFromPaths(sources()));
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
    assertThat(longMethods).as("a method is to be read at a glance").isEmpty();
  }

  @Test
  void methodsHaveAtMostFiveParameters() {
    assertThat(wideMethods).as("more parameters ask for a record").isEmpty();
  }

  @Test
  void nothingIsSynchronized() {
    assertThat(synchronizedBlocks)
        .as("an event loop that waits for a monitor stops all of its clients")
        .isEmpty();
  }
}
