package io.penstock.server.cli;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class CompareTest {

  private static final String FILE =
      """
      penstock:
        event-loops: 1
        listeners: { l: { port: 1, upstream: two } }
        upstreams:
          two: { shards: { distribution: predixy, hash: atol, servers: [ "redis://:s3cret@h:1", "redis://h:2" ] } }
          named: { shards: { distribution: predixy, hash: atol, servers: [ "redis://h:1?name=a", "redis://h:2?name=b" ] } }
          three: { shards: { distribution: predixy, hash: atol, servers: [ "redis://h:1", "redis://h:2", cluster ] } }
          any: { shards: { distribution: random, servers: [ "redis://h:1" ] } }
          cluster: "redis-cluster://h:3"
          tenants: { by-prefix: [ { prefix: "1", upstream: one } ], otherwise: cluster }
          clients: { weighted: [ { upstream: one } ], by: client }
          one: "redis://h:1"
      """;

  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private String file = "";

  @BeforeEach
  void write() throws IOException {
    file = write("application.yml", FILE).toString();
  }

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text, ISO_8859_1);
  }

  private boolean compare(String in, String... arguments) throws UsageException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.config.location=optional:classpath:/,file:" + file);
    return Compare.succeeds(
        CompareOptions.of(all),
        () -> new SpringApplication(CompareTest.class),
        new ByteArrayInputStream(in.getBytes(ISO_8859_1)),
        new PrintStream(out, true, UTF_8),
        new PrintStream(err, true, UTF_8));
  }

  private static String numbers(int end, String separator) {
    return IntStream.range(0, end)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(separator));
  }

  @Test
  void saysHowManyKeysGoWhere() throws UsageException {
    assertThat(compare(numbers(12, "\n"), "two", "three", "--keys=-")).isTrue();

    assertThat(out.toString(UTF_8).lines())
        .containsExactly(
            "From:  two, 2 shards by predixy",
            "To:    three, 3 shards by predixy",
            "Keys:  12",
            "Moved: 8 (66.7 %)",
            "",
            "From  To                              Keys     Share",
            "h:1   h:2                                2    16.7 %",
            "h:1   the Redis Cluster of h:3           2    16.7 %",
            "h:2   h:1                                2    16.7 %",
            "h:2   the Redis Cluster of h:3           2    16.7 %",
            "h:1   (stays)                            2    16.7 %",
            "h:2   (stays)                            2    16.7 %");
  }

  @Test
  void aServerWithAnotherNameOrPasswordIsTheSame() throws UsageException {
    assertThat(compare("", "two", "named")).isTrue();

    assertThat(out.toString(UTF_8)).contains("Keys:  100000 (random)\nMoved: 0 (0.0 %)\n");
  }

  @Test
  void partsThatAreSelectedByPrefixHaveKeysToo() throws UsageException {
    assertThat(compare(numbers(12, "\n"), "one", "tenants", "--keys=-")).isTrue();

    assertThat(out.toString(UTF_8))
        .contains("To:    tenants, 2 upstreams by prefix\nKeys:  12\nMoved: 9 (75.0 %)\n");
  }

  @Test
  void keysOfAFileHaveAnyBytes() throws IOException, UsageException {
    Path keys = write("keys", "4\r\n\n\u00ff\u0000\n5");

    assertThat(compare("", "two", "cluster", "--keys=" + keys)).isTrue();

    assertThat(out.toString(UTF_8))
        .contains("To:    cluster, the Redis Cluster of h:3\nKeys:  3\nMoved: 3 (100.0 %)\n");
  }

  @Test
  void theOtherUpstreamMayBeInAnotherFile() throws IOException, UsageException {
    Path other = write("new.yml", FILE.replace("\"redis://h:2\" ]", "\"redis://h:9\" ]"));

    assertThat(compare("", "two", "two", "--to-file=" + other, "--count=1000")).isTrue();

    assertThat(out.toString(UTF_8))
        .contains("To:    two of " + other + ", 2 shards by predixy\nKeys:  1000 (random)\n")
        .containsPattern("h:2   h:9 +\\d+ ");
  }

  @Test
  void noKeysAreNoMoves() throws UsageException {
    assertThat(compare("\n", "two", "three", "--keys=-")).isTrue();

    assertThat(out.toString(UTF_8)).endsWith("Keys:  0\nMoved: 0 (0.0 %)\n");
  }

  @Test
  void failsIfThereAreNoKeysOrTheConfigurationIsInvalid(CapturedOutput log) throws Exception {
    assertThat(compare("", "two", "three", "--keys=" + folder.resolve("none"))).isFalse();
    assertThat(compare("", "two", "two", "--penstock.port=x")).isFalse();
    assertThat(compare("", "two", "two", "--to-file=" + write("bad.yml", "penstock: {x: 1}")))
        .isFalse();

    assertThat(out.toString(UTF_8)).isEmpty();
    assertThat(err.toString(UTF_8)).startsWith("Cannot read the keys: there is no file ");
    assertThat(log).contains("Key:    penstock.port").contains("Key:    penstock.x");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "two | An upstream is missing; write compare FROM TO, the names of two upstreams, and then"
            + " options.",
        "--keys=- two three | An upstream is missing; write compare FROM TO, the names of two"
            + " upstreams, and then options.",
        "two four | There is no upstream of that name; there are any, clients, cluster, named, one,"
            + " tenants, three, two.",
        "two any | Upstream any has no place for a key: its distribution is random.",
        "two clients | Upstream clients has no place for a key: it selects another upstream for"
            + " each client.",
        "two three --keys | --keys has no value; write --keys=VALUE.",
        "two three --keys= | --keys has no value; write --keys=VALUE.",
        "two three --keys=a --keys=b | --keys is given twice.",
        "two three --keys=a --count=1 | --count is the number of random keys, and --keys names"
            + " others.",
        "two three --count=0 | --count must be a number from 1 to 100000000.",
        "two three --count=many | --count must be a number from 1 to 100000000.",
        "two three --check | compare and --check exclude each other.",
        "two three --penstok.port=1 | Unknown option --penstok.port; did you mean --penstock.port?"
      })
  void rejectsInvalidArguments(String arguments, String message) {
    String[] all = arguments.split(" ");

    assertThatThrownBy(() -> compare("", all))
        .isInstanceOf(UsageException.class)
        .hasMessage(message);
  }
}
