package io.penstock.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.bench.Main;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JmhTableTest {

  private static final String RESULT =
      """
      [{
        "benchmark": "io.penstock.bench.ClusterBenchmark.slot", "forks": 1,
        "vmName": "OpenJDK", "vmVersion": "25.0.3", "jvmArgs": ["-Xmx64m", "-Dx=y"],
        "warmupIterations": 3, "warmupTime": "1 s", "measurementIterations": 5, "measurementTime": "2 s",
        "params": {"keyLength": "30"},
        "primaryMetric": {"score": 31.24, "scoreError": "NaN"},
        "secondaryMetrics": {"gc.alloc.rate.norm": {"score": 0.004}}
      }, {
        "benchmark": "io.penstock.bench.PathBenchmark.get",
        "primaryMetric": {"score": 67.2, "scoreError": 7.3},
        "secondaryMetrics": {}
      }]
      """;

  @TempDir Path folder;

  @Test
  void theCommandMakesATableWithFacts() throws IOException {
    Path json = Files.writeString(folder.resolve("jmh.json"), RESULT);
    Path page = folder.resolve("jmh.md");

    int status = Main.run("jmh", json.toString(), page.toString());

    assertThat(status).isZero();
    assertThat(page)
        .content()
        .contains(
            "| JVM | OpenJDK 25.0.3 |",
            "| Flags | `-Xmx64m -Dx=y` |",
            "| Run | 1 fork, 3 × 1 s warm-up, 5 × 2 s measured |",
            """
            | Benchmark | ns/op | ± | B/op |
            |---|---:|---:|---:|
            | ClusterBenchmark.slot keyLength=30 | 31.2 |  | 0.00 |
            | PathBenchmark.get | 67.2 | 7.3 |  |
            """);
  }
}
