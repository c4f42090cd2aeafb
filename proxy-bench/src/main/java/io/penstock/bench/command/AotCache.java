package io.penstock.bench.command;

import io.penstock.bench.harness.PenstockSetup;
import io.penstock.testkit.cluster.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A copy of a jar with an AOT cache beside it, in a folder that {@link #close} removes.
 *
 * @param setup of a Penstock that is started in the folder
 */
record AotCache(Path folder, PenstockSetup setup) implements AutoCloseable {

  private static final String JAR = "penstock.jar";
  private static final String HOST = "127.0.0.1";
  private static final long PATIENCE_MINUTES = 5;

  /**
   * Has {@code docker/train} make the cache (docs/how-to/start-fast.md).
   *
   * @throws IllegalStateException with what it printed, when it makes none
   */
  static AotCache make(Path checkout, PenstockSetup setup)
      throws IOException, InterruptedException {
    Path folder = Files.createTempDirectory("penstock-bench-");
    Files.copy(setup.jar(), folder.resolve(JAR));
    List<String> flags = new ArrayList<>(setup.jvmFlags());
    flags.add("-XX:AOTCache=penstock.aot");
    flags.add("-XX:AOTMode=on"); // no start without it
    AotCache cache = new AotCache(folder, new PenstockSetup(Path.of(JAR), flags, setup.settings()));
    int port = FreePorts.take(HOST);
    int management = FreePorts.take(HOST);
    try {
      List<String> command = new ArrayList<>(List.of(checkout.resolve("docker/train").toString()));
      command.addAll(setup.jvmFlags());
      cache.run(command, port, management);
      return cache;
    } catch (IOException | InterruptedException | RuntimeException e) {
      cache.close();
      throw e;
    } finally {
      FreePorts.giveBack(port);
      FreePorts.giveBack(management);
    }
  }

  private void run(List<String> command, int port, int management)
      throws IOException, InterruptedException {
    Path printed = folder.resolve("train.log");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(printed.toFile());
    builder.environment().put("TRAINING_PORT", Integer.toString(port));
    builder.environment().put("TRAINING_MANAGEMENT_PORT", Integer.toString(management));
    Path java = Path.of(PenstockSetup.java()).getParent();
    builder.environment().merge("PATH", java + ":", (path, own) -> own + path);
    Process training = builder.start();
    try {
      if (!training.waitFor(PATIENCE_MINUTES, TimeUnit.MINUTES) || training.exitValue() != 0) {
        throw new IllegalStateException("no AOT cache: " + Files.readString(printed));
      }
    } finally {
      training.destroy(); // it ends the Penstock that it has started
    }
  }

  @Override
  public void close() {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
