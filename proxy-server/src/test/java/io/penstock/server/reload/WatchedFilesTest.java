package io.penstock.server.reload;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WatchedFilesTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  @Test
  void aFileThatAppearsChangesAndGoesIsNoticed() throws IOException {
    Path file = folder.resolve("application.yml");
    WatchedFiles files = new WatchedFiles(Set.of(file), Set.of());
    Map<Path, String> none = files.digests();
    Files.writeString(file, "a: 1");
    Map<Path, String> first = files.digests();
    Files.writeString(file, "a: 2");
    Map<Path, String> second = files.digests();
    Files.delete(file);

    assertThat(first).isNotEqualTo(none);
    assertThat(second).isNotEqualTo(first);
    assertThat(files.digests()).isEqualTo(none);
  }

  @Test
  void theTimeOfAFileDoesNotCount() throws IOException {
    Path file = Files.writeString(folder.resolve("application.yml"), "a: 1");
    WatchedFiles files = new WatchedFiles(Set.of(file), Set.of());
    Map<Path, String> before = files.digests();

    Files.setLastModifiedTime(file, FileTime.fromMillis(0));

    assertThat(files.digests()).isEqualTo(before);
  }

  /** As a volume of Kubernetes. */
  @Test
  void aLinkToAFolderThatIsReplacedIsNoticed() throws IOException {
    for (String version : new String[] {"v1", "v2"}) {
      Files.createDirectory(folder.resolve(".." + version));
      Files.writeString(folder.resolve(".." + version).resolve("password"), version);
    }
    Path data = Files.createSymbolicLink(folder.resolve("..data"), Path.of("..v1"));
    Path link = Files.createSymbolicLink(folder.resolve("password"), Path.of("..data", "password"));
    WatchedFiles file = new WatchedFiles(Set.of(link), Set.of());
    WatchedFiles tree = new WatchedFiles(Set.of(), Set.of(folder));
    Map<Path, String> fileBefore = file.digests();
    Map<Path, String> treeBefore = tree.digests();

    Path next = Files.createSymbolicLink(folder.resolve("..tmp"), Path.of("..v2"));
    Files.move(next, data, StandardCopyOption.ATOMIC_MOVE);

    assertThat(file.digests()).isNotEqualTo(fileBefore);
    assertThat(tree.digests()).isNotEqualTo(treeBefore);
    assertThat(treeBefore.get(folder)).as("hidden folders").hasLineCount(1);
  }

  @Test
  void everyFileOfATreeCounts() throws IOException {
    Path below = Files.createDirectories(folder.resolve("penstock/listeners/main"));
    WatchedFiles tree = new WatchedFiles(Set.of(), Set.of(folder));
    Map<Path, String> before = tree.digests();

    Files.writeString(below.resolve("password"), "s3cret");

    assertThat(tree.digests()).isNotEqualTo(before);
    assertThat(tree.digests().toString()).doesNotContain("s3cret");
  }

  @Test
  void ofOtherFoldersOnlyConfigurationFilesCount() throws IOException {
    Path below = Files.createDirectories(folder.resolve("a"));
    WatchedFiles files = new WatchedFiles(Set.of(folder), Set.of());
    Map<Path, String> before = files.digests();

    Files.writeString(below.resolve("penstock.log"), "a line");
    assertThat(files.digests()).isEqualTo(before);

    Files.writeString(below.resolve("application.yml"), "a: 1");
    assertThat(files.digests()).isNotEqualTo(before);
  }
}
