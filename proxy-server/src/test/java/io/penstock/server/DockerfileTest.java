package io.penstock.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** In the image's build, Maven can read the root POM only if the POMs of all modules are there. */
class DockerfileTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  private static List<Path> poms() throws IOException {
    List<Path> poms = new ArrayList<>(List.of(Path.of("pom.xml")));
    for (Path parent : List.of(ROOT, ROOT.resolve("proxy-bench"))) {
      try (DirectoryStream<Path> folders = Files.newDirectoryStream(parent)) {
        for (Path folder : folders) {
          if (Files.exists(folder.resolve("pom.xml"))) {
            poms.add(ROOT.relativize(folder.resolve("pom.xml")));
          }
        }
      }
    }
    return poms;
  }

  @Test
  void thePomOfEveryModuleIsCopied() throws IOException {
    List<String> lines = Files.readAllLines(ROOT.resolve("docker/Dockerfile"));
    assertThat(poms()).hasSizeGreaterThan(4);
    for (Path pom : poms()) {
      Path folder = pom.getParent();
      String copy = folder == null ? "COPY pom.xml ./" : "COPY " + pom + " " + folder + "/";
      assertThat(lines).contains(copy);
    }
  }

  @Test
  void everyModulesPomIsInTheBuildContext() throws IOException {
    List<String> included =
        Files.readAllLines(ROOT.resolve("docker/Dockerfile.dockerignore")).stream()
            .filter(line -> line.startsWith("!"))
            .map(line -> line.substring(1))
            .toList();
    for (Path pom : poms()) {
      assertThat(included)
          .as("a pattern that includes %s", pom)
          .anyMatch(glob -> FileSystems.getDefault().getPathMatcher("glob:" + glob).matches(pom));
    }
  }
}
