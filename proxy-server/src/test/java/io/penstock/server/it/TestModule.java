package io.penstock.server.it;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** The module in {@code learnt.c}, compiled where there is a compiler. */
final class TestModule {

  private static final long SECONDS = 30;

  private TestModule() {}

  /** Compiles it into {@code folder}; skips the test, and says so, where that does not work. */
  static Path compile(Path folder) {
    Path source = folder.resolve("learnt.c");
    Path module = folder.resolve("learnt.so");
    try (InputStream in = TestModule.class.getResourceAsStream("learnt.c")) {
      Files.copy(Objects.requireNonNull(in), source);
      var call =
          new ProcessBuilder("cc", "-shared", "-fPIC", "-o", module.toString(), source.toString());
      Process compiler = call.inheritIO().start();
      if (compiler.waitFor(SECONDS, TimeUnit.SECONDS) && compiler.exitValue() == 0) {
        return module;
      }
      throw new IllegalStateException("cc did not compile " + source);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    } catch (IOException e) {
      if (!Files.exists(source)) {
        throw new UncheckedIOException(e);
      }
      String reason = "a server module has to be compiled, and there is no cc: " + e.getMessage();
      System.out.println("skipped: " + reason);
      Assumptions.abort(reason);
      throw new IllegalStateException(e);
    }
  }
}
