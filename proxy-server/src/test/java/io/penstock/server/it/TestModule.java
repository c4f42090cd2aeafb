package io.penstock.server.it;

import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.ServerProcess;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/** The module in {@code learnt.c}, compiled if there is a compiler, and a server to load it. */
final class TestModule {

  /** The error of a statically linked server. */
  private static final String STATIC = "Dynamic loading not supported";

  private static final long SECONDS = 30;

  private TestModule() {}

  /** Compiles it into {@code folder}; skips the test with a message if that fails. */
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
      throw skip("a server module has to be compiled, and there is no cc: " + e.getMessage());
    }
  }

  /**
   * Returns the server of the other tests if it can load {@code module}, otherwise the one on PATH;
   * skips the test with a message if neither can. The bundled server is linked statically and loads
   * no modules.
   */
  static ServerBinary serverFor(Path module) {
    ServerBinary usual = ServerBinary.find();
    if (loads(usual, module)) {
      return usual;
    }
    Path installed = SearchPath.ofThisProcess().find("redis-server", "valkey-server");
    if (installed == null) {
      throw skip(usual + " loads no modules, and no redis-server or valkey-server is on PATH");
    }
    ServerBinary other = ServerBinary.at(installed);
    if (other.atLeast(7, 0) && loads(other, module)) {
      return other;
    }
    throw skip("neither " + usual + " nor " + other + " loads modules");
  }

  private static boolean loads(ServerBinary server, Path module) {
    var builder = ServerProcess.builder().binary(server).option("loadmodule", module.toString());
    try (ServerProcess _ = builder.start()) {
      return true;
    } catch (IllegalStateException e) {
      if (String.valueOf(e.getMessage()).contains(STATIC)) {
        return false;
      }
      throw e;
    }
  }

  private static TestAbortedException skip(String reason) {
    System.out.println("skipped: " + reason);
    return new TestAbortedException(reason);
  }
}
