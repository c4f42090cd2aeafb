package io.penstock.testkit.cluster;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The folders in which programs are looked up by name, in order. Immutable.
 *
 * @param folders as in {@code PATH}; empty names are left out
 */
public record SearchPath(List<String> folders) {

  public SearchPath {
    folders = folders.stream().filter(folder -> !folder.isEmpty()).toList();
  }

  /** This process's {@code PATH}; no folder if it has none. */
  public static SearchPath ofThisProcess() {
    return of(System.getenv("PATH"));
  }

  static SearchPath of(@Nullable String path) {
    return new SearchPath(path == null ? List.of() : List.of(path.split(File.pathSeparator, -1)));
  }

  /** The executable for the first of these names that any folder has; null if none has any. */
  public @Nullable Path find(String... names) {
    for (String name : names) {
      for (String folder : folders) {
        Path candidate = Path.of(folder, name);
        if (Files.isExecutable(candidate) && !Files.isDirectory(candidate)) {
          return candidate.toAbsolutePath();
        }
      }
    }
    return null;
  }

  @Override
  public String toString() {
    return String.join(File.pathSeparator, folders);
  }
}
