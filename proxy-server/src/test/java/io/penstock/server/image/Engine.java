package io.penstock.server.image;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URI;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.utility.TestcontainersConfiguration;

/**
 * A running container engine and its command-line program.
 *
 * <p>The program builds the image, not Testcontainers: that uses the engine's older API, which
 * supports neither cache mounts nor {@code $BUILDPLATFORM}, and users do not build that way.
 *
 * @param host its address, in the form of {@code DOCKER_HOST}
 * @param podman whether it is podman; Docker otherwise
 */
record Engine(String host, boolean podman) {

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final Duration BUILD = Duration.ofMinutes(15);
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /**
   * The result of a search.
   *
   * @param engine null if there is none
   * @param reason why there is none
   */
  record Search(@Nullable Engine engine, String reason) {}

  /**
   * Searches the same places as Testcontainers, but fails fast if there is no engine, where
   * Testcontainers logs stack traces. {@code PENSTOCK_NO_ENGINE} says that there is none, and why
   * ({@code .ci/engine}).
   */
  static Search search() {
    String reason = System.getenv("PENSTOCK_NO_ENGINE");
    if (reason != null) {
      return new Search(null, reason);
    }
    reason = "no container engine: DOCKER_HOST is not set, and no engine's socket is there";
    for (String host : hosts()) {
      try {
        Engine engine = new Engine(host, version(host).contains("Podman Engine"));
        String missing = engine.missing();
        if (missing == null) {
          return new Search(engine, "");
        }
        reason = missing;
      } catch (IOException | CompletionException | IllegalArgumentException e) {
        reason = "no container engine answers at " + host + ": " + e.getMessage();
      }
    }
    return new Search(null, reason);
  }

  private static List<String> hosts() {
    String named =
        TestcontainersConfiguration.getInstance().getEnvVarOrUserProperty("docker.host", "");
    if (!named.isBlank()) {
      return List.of(named);
    }
    Path docker = Path.of(System.getProperty("user.home", ""), ".docker");
    List<Path> sockets = new ArrayList<>(List.of(Path.of("/var/run/docker.sock")));
    sockets.add(Path.of(System.getenv().getOrDefault("XDG_RUNTIME_DIR", "/run"), "docker.sock"));
    sockets.add(docker.resolve("run/docker.sock"));
    sockets.add(docker.resolve("desktop/docker.sock"));
    return sockets.stream().filter(Files::exists).map(path -> "unix://" + path).toList();
  }

  /** Returns the engine's own information. */
  private static String version(String host) throws IOException {
    URI uri = URI.create(host);
    SocketAddress address =
        switch (String.valueOf(uri.getScheme())) {
          case "unix" -> UnixDomainSocketAddress.of(uri.getPath());
          case "tcp" -> new InetSocketAddress(uri.getHost(), uri.getPort());
          default -> throw new IllegalArgumentException("neither unix:// nor tcp://");
        };
    try (SocketChannel channel =
        address instanceof UnixDomainSocketAddress
            ? SocketChannel.open(StandardProtocolFamily.UNIX)
            : SocketChannel.open()) {
      return CompletableFuture.supplyAsync(() -> ask(channel, address), Thread::startVirtualThread)
          .orTimeout(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
          .join();
    }
  }

  private static String ask(SocketChannel channel, SocketAddress address) {
    try {
      channel.connect(address);
      channel.write(ByteBuffer.wrap("GET /version HTTP/1.0\r\n\r\n".getBytes(US_ASCII)));
      return new String(Channels.newInputStream(channel).readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new CompletionException(String.valueOf(e.getMessage()), e);
    }
  }

  /** Returns what this engine lacks to build the Dockerfile; null if nothing. */
  private @Nullable String missing() {
    List<String> question =
        podman
            ? List.of("podman", "--url", host, "version")
            : List.of("docker", "buildx", "version"); // BuildKit
    String reason = "the engine at " + host + " cannot build: " + String.join(" ", question);
    try {
      Run run = run(PATIENCE, question);
      return run.status() == 0 ? null : reason + ": " + run.output().strip();
    } catch (IOException e) {
      return reason + ": " + e.getMessage();
    }
  }

  /** Builds the image as docs/how-to/run-in-containers.md says. */
  void build(String image) throws IOException {
    List<String> command = new ArrayList<>();
    if (podman) {
      command.addAll(List.of("podman", "--url", host, "build", "--format", "docker"));
      command.addAll(List.of("--ignorefile", "docker/Dockerfile.dockerignore"));
    } else {
      command.addAll(List.of("docker", "build"));
    }
    command.addAll(List.of("-f", "docker/Dockerfile", "-t", image, "."));
    Run run = run(BUILD, command);
    if (run.status() != 0) {
      throw new AssertionError(String.join(" ", command) + ": " + run.output());
    }
  }

  void remove(String image) {
    DockerClientFactory.instance().client().removeImageCmd(image).withForce(true).exec();
  }

  /**
   * Runs the container's {@code HEALTHCHECK} once if the engine does not run it: podman leaves that
   * to systemd, which a machine may not have.
   */
  void checkHealth(String container) throws IOException {
    if (podman) {
      run(BUILD, List.of("podman", "--url", host, "healthcheck", "run", container));
    }
  }

  /**
   * The result of a program.
   *
   * @param output its output, standard error included
   */
  private record Run(int status, String output) {}

  private Run run(Duration patience, List<String> command) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(ROOT.toFile());
    builder.environment().put("DOCKER_HOST", host);
    builder.environment().put("DOCKER_BUILDKIT", "1");
    Path output = Files.createTempFile("penstock-engine-", ".log");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      boolean ended = process.waitFor(patience);
      return new Run(ended ? process.exitValue() : -1, Files.readString(output));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } finally {
      process.destroyForcibly();
      Files.delete(output);
    }
  }
}
