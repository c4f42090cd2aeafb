package io.penstock.bench.harness;

import io.penstock.testkit.cluster.SearchPath;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Optional programs of this machine. */
public final class Programs {

  private static final long SECONDS = 30;

  /** Folders of daemons on Debian, which a user's PATH leaves out. */
  private static final List<String> BESIDE_PATH = List.of("/usr/sbin", "/usr/local/sbin");

  private Programs() {}

  /** Returns the program with the first of these names that PATH or a folder of daemons has. */
  public static Optional<Path> find(String... names) {
    List<String> folders = new ArrayList<>(SearchPath.ofThisProcess().folders());
    folders.addAll(BESIDE_PATH);
    return Optional.ofNullable(new SearchPath(folders).find(names));
  }

  /** Returns what a command prints within {@value #SECONDS} s; empty if it does not run. */
  public static String output(String... command) {
    try {
      Path printed = Files.createTempFile("penstock-bench-", ".txt");
      try {
        ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        Process process = builder.redirectOutput(printed.toFile()).start();
        process.getOutputStream().close();
        if (!process.waitFor(SECONDS, TimeUnit.SECONDS)) {
          process.destroyForcibly();
        }
        return Files.readString(printed, StandardCharsets.UTF_8).strip();
      } finally {
        Files.delete(printed);
      }
    } catch (IOException e) {
      return "";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "";
    }
  }
}
