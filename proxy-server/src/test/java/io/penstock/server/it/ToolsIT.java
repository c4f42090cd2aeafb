package io.penstock.server.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.ClusterFacade;
import io.penstock.core.upstream.Endpoint;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.wire.RespClient;
import io.penstock.testkit.wire.Wire;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** The tools that come with a server, through Penstock, with and without a facade. */
@ExtendWith(SharedCluster.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ToolsIT {

  private static final long PATIENCE_SECONDS = 60;
  private static final int KEYS = 200;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture plain;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture facade;

  @SuppressWarnings("NullAway.Init")
  private ProxyFixture other;

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  /**
   * The result of a run of a tool.
   *
   * @param ended whether it ended by itself in time
   */
  private record Run(boolean ended, int status, String output) {

    /** Checks that it ended with status 0 and that its output has no error of a server. */
    String fine() {
      assertThat(ended).as("it did not end in time; output: %s", output).isTrue();
      assertThat(status).as(output).isZero();
      return clean();
    }

    String clean() {
      assertThat(output)
          .doesNotContain("ERR ", "WARNING", "WARN:", "(error)", "Error", "MOVED", "CROSSSLOT");
      return output;
    }
  }

  @BeforeAll
  void start(EmbeddedCluster cluster) {
    plain = ProxyFixture.of(cluster).startReady();
    int first = FreePorts.take("127.0.0.1");
    int second = FreePorts.take("127.0.0.1");
    List<Endpoint> nodes =
        List.of(new Endpoint("127.0.0.1", first), new Endpoint("127.0.0.1", second));
    facade = shown(cluster, nodes, first);
    other = shown(cluster, nodes, second);
    try (RespClient wire = plain.connect()) {
      for (int i = 0; i < KEYS; i++) {
        wire.call("SET", "tools:" + i, "x".repeat(1 + i));
      }
      wire.call("RPUSH", "tools:list", "a", "b", "c");
      wire.call("HSET", "tools:hash", "f", "v");
    }
  }

  /** Two instances, because redis-benchmark rejects a cluster of one node. */
  private static ProxyFixture shown(EmbeddedCluster cluster, List<Endpoint> nodes, int port) {
    return ProxyFixture.of(cluster)
        .port(port)
        .facade(new ClusterFacade(nodes, "127.0.0.1", port))
        .startReady();
  }

  @AfterAll
  void stop() {
    plain.close();
    facade.close();
    other.close();
    FreePorts.giveBack(facade.port());
    FreePorts.giveBack(other.port());
  }

  /**
   * Returns the tool next to the server in use, otherwise the one on PATH; skips the test with a
   * message if there is neither.
   */
  private static String tool(String suffix) {
    ServerBinary server = ServerBinary.find();
    String name = (server.valkey() ? "valkey-" : "redis-") + suffix;
    String folder = String.valueOf(server.path().getParent());
    Path tool = new SearchPath(List.of(folder)).find(name, "redis-" + suffix);
    if (tool == null) {
      tool = SearchPath.ofThisProcess().find(name, "redis-" + suffix);
    }
    String reason = "there is no " + name + " beside " + server + " or on PATH";
    if (tool == null) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(tool != null, reason);
    return String.valueOf(tool);
  }

  /**
   * Returns a command that runs a tool with line-buffered output, for tools that never end; skips
   * the test if that is not possible.
   */
  private static List<String> lineBuffered(String tool) {
    Path stdbuf = Path.of("/usr/bin/stdbuf");
    boolean there = Files.isExecutable(stdbuf);
    String reason =
        "there is no " + stdbuf + ", needed for line-buffered output of redis-cli --stat";
    if (!there) {
      System.out.println("skipped: " + reason);
    }
    Assumptions.assumeTrue(there, reason);
    return List.of(stdbuf.toString(), "-oL", tool);
  }

  private Run cli(ProxyFixture proxy, long seconds, String... arguments) throws Exception {
    return run(List.of(tool("cli")), proxy, null, seconds, arguments);
  }

  private Run benchmark(ProxyFixture proxy, String... arguments) throws Exception {
    return run(List.of(tool("benchmark")), proxy, null, PATIENCE_SECONDS, arguments);
  }

  private Run run(
      List<String> tool,
      ProxyFixture proxy,
      @Nullable Path input,
      long seconds,
      String... arguments)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(tool);
    command.addAll(List.of("-h", proxy.host(), "-p"));
    command.add(Integer.toString(proxy.port()));
    command.addAll(List.of(arguments));
    Path output = Files.createTempFile(folder, "tool", ".out");
    var builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.redirectOutput(output.toFile());
    builder.redirectInput(input == null ? Path.of("/dev/null").toFile() : input.toFile());
    Process process = builder.start();
    boolean ended = process.waitFor(seconds, TimeUnit.SECONDS);
    process.destroyForcibly().waitFor();
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    return new Run(ended, ended ? process.exitValue() : 0, text);
  }

  @Test
  void scanListsEveryKeyOnce() throws Exception {
    List<String> keys =
        cli(plain, PATIENCE_SECONDS, "--scan", "--pattern", "tools:*").fine().lines().toList();

    assertThat(keys).doesNotHaveDuplicates().hasSize(KEYS + 2);
  }

  @Test
  void bigkeysAndMemkeysCheckEveryKey() throws Exception {
    String big = cli(plain, PATIENCE_SECONDS, "--bigkeys").fine();
    assertThat(big).contains("Biggest string found", "Biggest   list found", "Biggest   hash");
    assertThat(big).containsPattern("Sampled \\d+ keys in the keyspace");
    assertThat(cli(plain, PATIENCE_SECONDS, "--memkeys").fine()).contains("Biggest string found");
  }

  @Test
  void statAndLatencyRunWithoutErrors() throws Exception {
    String stat = run(lineBuffered(tool("cli")), plain, null, 8, "--stat", "-i", "0.2").clean();
    assertThat(stat.lines().filter(line -> line.matches("\\d+ .*"))).hasSizeGreaterThan(5);
    assertThat(cli(plain, 2, "--latency", "--raw").clean()).isNotNull();
  }

  @Test
  void pipeSendsAThousandCommands() throws Exception {
    Path input = folder.resolve("pipe.txt");
    var commands = new StringBuilder();
    for (int i = 0; i < 1_000; i++) {
      commands.append(Wire.request("SET", "pipe:" + i, "v" + i));
    }
    for (int i = 0; i < 1_000; i++) {
      commands.append(Wire.request("DEL", "pipe:" + i));
    }
    Files.writeString(input, commands, StandardCharsets.ISO_8859_1);

    String said = run(List.of(tool("cli")), plain, input, PATIENCE_SECONDS, "--pipe").fine();

    assertThat(said).contains("errors: 0, replies: 2000");
  }

  @Test
  void callsWorkInBothProtocols() throws Exception {
    assertThat(cli(plain, PATIENCE_SECONDS, "GET", "tools:0").fine()).isEqualTo("x\n");
    assertThat(cli(plain, PATIENCE_SECONDS, "-3", "INFO", "keyspace").fine()).contains("db0:keys=");
    assertThat(cli(facade, PATIENCE_SECONDS, "-c", "GET", "tools:1").fine()).isEqualTo("xx\n");
  }

  @Test
  void theBenchmarkRunsItsTests() throws Exception {
    String said = benchmark(plain, "-n", "2000", "-c", "10", "-r", "1000", "-q").clean();

    assertThat(said).contains("PING_INLINE", "SET:", "LRANGE_100", "MSET (10 keys)");
  }

  @Test
  void theBenchmarkDetectsTheFacadeAsACluster() throws Exception {
    String said =
        benchmark(facade, "--cluster", "-n", "2000", "-c", "10", "-t", "set,get,incr").fine();

    assertThat(said)
        .containsPattern("Cluster has 2 (master|primary) nodes") // Valkey says primary
        .contains("requests completed in");
  }
}
