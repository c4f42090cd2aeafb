package io.penstock.testkit.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A cluster whose JVM is killed leaves nothing behind. */
class OrphanedServersIT {

  @Test
  void goWithAJvmThatIsKilled() throws IOException {
    assertNothingIsLeftAfter(Process::destroyForcibly);
  }

  @Test
  void goWithAJvmThatIsTerminated() throws IOException {
    assertNothingIsLeftAfter(Process::destroy);
  }

  private static void assertNothingIsLeftAfter(Consumer<Process> end) throws IOException {
    Process jvm =
        new ProcessBuilder(
                ProcessHandle.current().info().command().orElse("java"),
                "-cp",
                System.getProperty("java.class.path"),
                Owner.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    List<Long> pids = new ArrayList<>();
    List<Path> folders = new ArrayList<>();
    BufferedReader told = jvm.inputReader(UTF_8);
    for (int i = 0; i < Owner.MASTERS; i++) {
      String[] words = String.valueOf(told.readLine()).split(" ", 2);
      pids.add(Long.valueOf(words[0]));
      folders.add(Path.of(words[1]));
    }
    assertThat(pids).allMatch(pid -> ProcessHandle.of(pid).isPresent());

    end.accept(jvm);

    await()
        .atMost(Duration.ofSeconds(10))
        .untilAsserted(() -> {
          assertThat(pids).allMatch(pid -> ProcessHandle.of(pid).isEmpty());
          assertThat(folders).noneMatch(Files::exists);
        });
  }

  /** The JVM that starts a cluster, prints its processes and waits to be killed. */
  static final class Owner {

    static final int MASTERS = 2;

    private Owner() {}

    public static void main(String[] args) throws InterruptedException {
      EmbeddedCluster cluster = EmbeddedCluster.builder().masters(MASTERS).start();
      for (Member member : cluster.members()) {
        System.out.println(member.server().pid() + " " + member.server().folder());
      }
      Thread.currentThread().join();
    }
  }
}
