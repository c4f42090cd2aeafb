package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.penstock.server.it.DispatchMode;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How {@code java -jar penstock.jar} handles its arguments, its configuration files and SIGHUP. */
@Tag(DispatchMode.ANY)
class CommandLineIT {

  private static final String NOWHERE = "--penstock.transpond.local.resource=redis://127.0.0.1:1";

  @TempDir Path folder;

  /** Output and exit status of a process. */
  private record Ended(int status, String output) {}

  @Test
  void versionHelpAndAnUnknownOptionStartNothing() throws IOException {
    assertThat(run("--version").output())
        .startsWith("Penstock ")
        .containsPattern("Java 2[5-9]")
        .hasLineCount(1);
    assertThat(run("--help")).matches(ended -> ended.status() == 0, "ends with 0");
    assertThat(run("--penstok.port=5"))
        .isEqualTo(
            new Ended(
                2,
                """
                Unknown option --penstok.port; did you mean --penstock.port?
                Penstock was not started; --help lists the options.
                """));
  }

  /** The java on PATH may be any version; the one that runs the tests is new enough. */
  @Test
  void theJavaOnPathStartsPenstockOrReportsItIsTooOld() throws IOException {
    Ended ended = run(List.of("java", "-jar", PenstockProcess.JAR.toString(), "--version"));

    assertThat(ended.output())
        .hasLineCount(1)
        .matches(
            ended.status() == 0
                ? "Penstock \\d[^\\n]*\\n"
                : "Penstock needs Java 25 or newer; this is Java [^\\n]*\\n");
    assertThat(ended.status()).isIn(0, 1);
  }

  @Test
  void checkReadsTheConfigurationFiles() throws IOException {
    Files.writeString(folder.resolve("application.yml"), "penstock:\n  max-clients: 77\n");

    Ended ended = run("--check", NOWHERE);

    assertThat(ended.status()).as(ended.output()).isZero();
    assertThat(ended.output())
        .startsWith("The configuration is valid (application.yml). Penstock would")
        .contains("accept up to 77 clients");
  }

  /** Names the files in many images; it replaces nothing of what is in the jar. */
  @Test
  void checkReadsTheFileOfTheEnvironmentVariable() throws IOException {
    Path file = Files.writeString(folder.resolve("other.yml"), "penstock:\n  max-clients: 77\n");
    List<String> command = new ArrayList<>(List.of("env", "SPRING_CONFIG_LOCATION=file:" + file));
    command.addAll(PenstockProcess.command(PenstockProcess.QUICK_START));
    command.addAll(List.of("--check", NOWHERE));

    Ended ended = run(command);

    assertThat(ended.output())
        .startsWith("The configuration is valid (%s). Penstock would".formatted(file))
        .contains("accept up to 77 clients")
        .contains("serve health and metrics on port 9180 of all addresses");
  }

  @Test
  void nestedAliasesStopTheStartAndTheCheckInWords() throws IOException {
    Files.writeString(folder.resolve("application.yml"), nestedAliases());

    for (Ended ended : List.of(run("--check", NOWHERE), run(NOWHERE))) {
      assertThat(ended.status()).isEqualTo(1);
      assertThat(ended.output())
          .contains("APPLICATION FAILED TO START")
          .containsPattern("application\\.yml] has \\d+ values or more with its aliases replaced")
          .doesNotContain("\tat ");
    }
  }

  /** A small heap, so that it ends if the aliases are replaced. */
  @Test
  void nestedAliasesDoNotEndARunningProcess() throws IOException {
    assumeHangupsArrive();
    Path file = Files.writeString(folder.resolve("more.yml"), "penstock.readiness: any-slot");
    List<String> command =
        PenstockProcess.command(
            PenstockProcess.QUICK_START, "-Xmx256m", "-XX:+ExitOnOutOfMemoryError");
    try (PenstockProcess penstock =
            PenstockProcess.start(
                command,
                NOWHERE,
                "--management.server.port=-1",
                "--spring.config.location=file:" + file);
        RespClient client = penstock.connect()) {
      await().until(() -> logged(penstock, "Started PenstockApplication"));
      Files.writeString(file, nestedAliases());
      hangUp(penstock);

      await().until(() -> logged(penstock, "Reload (SIGHUP) refused"));
      assertThat(penstock.log())
          .anyMatch(line -> line.contains("values or more with its aliases replaced; at most"));
      assertThat(client.text("PING")).isEqualTo("PONG");
      Files.writeString(file, "penstock.readiness: listening");
      hangUp(penstock);
      await().until(() -> logged(penstock, "Reload (SIGHUP): version 2 of the configuration"));
    }
  }

  /** Lists of nine of the list before: a few hundred bytes that stand for 9 to the power of 9. */
  private static String nestedAliases() {
    StringBuilder yaml = new StringBuilder("l0: &l0 [1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
    for (int i = 1; i < 9; i++) {
      String nine = ("*l" + (i - 1) + ", ").repeat(8) + "*l" + (i - 1);
      yaml.append("l%d: &l%d [%s]%n".formatted(i, i, nine));
    }
    return yaml.toString();
  }

  @Test
  void aFailedCheckAndAFailedStartPrintTheSameMessage() throws IOException {
    Ended check = run("--check");
    Ended start = run();

    assertThat(check.status()).isEqualTo(1);
    assertThat(start.status()).isEqualTo(1);
    String message = check.output().substring(check.output().indexOf("****"));
    assertThat(message).contains("no resource is configured");
    assertThat(start.output())
        .endsWith(message)
        .doesNotContain(" WARN ")
        .doesNotContain("BeanCreationException");
  }

  @Test
  void invalidYamlIsReportedWithFileLineAndColumn() throws IOException {
    Files.writeString(
        folder.resolve("application.yml"), "penstock:\n  bind: [a, b\n  password: s3cret\n");

    Ended ended = run();

    assertThat(ended.status()).isEqualTo(1);
    assertThat(ended.output())
        .contains(
            "[file:application.yml] is not valid YAML at line 3, column 11: expected ',' or ']'")
        .contains("(while parsing a flow sequence at line 2, column 9)")
        .doesNotContain("s3cret")
        .doesNotContain("\tat ");
  }

  @Test
  void aFileThatIsNoYamlIsNamedWithoutItsLines() throws IOException {
    Files.createDirectory(folder.resolve("config"));
    Files.writeString(folder.resolve("config/application.yml"), "penstock:\n  password: [s3cret");

    assertThat(run("--logging.level.root=trace").output())
        .contains("application.yml] is not valid YAML at line 2")
        .doesNotContain("s3cret");
  }

  @Test
  void sighupReadsTheConfigurationAgain() throws IOException {
    assumeHangupsArrive();
    Path file = folder.resolve("more.yml");
    Files.writeString(file, "penstock.readiness: any-slot");
    try (PenstockProcess penstock =
            start(List.of(), NOWHERE, "--spring.config.additional-location=file:" + file);
        RespClient client = penstock.connect()) {
      Files.writeString(file, "penstock.readiness: listening");
      await().until(() -> logged(penstock, "Started PenstockApplication"));
      hangUp(penstock);

      await().until(() -> logged(penstock, "Reload (SIGHUP): version 2 of the configuration"));
      assertThat(penstock.log()).anyMatch(line -> line.contains("changed readiness"));
      Files.writeString(file, "penstock.readiness: [");
      hangUp(penstock);
      await().until(() -> logged(penstock, "Reload (SIGHUP) refused"));
      assertThat(client.text("PING")).isEqualTo("PONG");
    }
  }

  private static boolean logged(PenstockProcess penstock, String words) {
    return penstock.log().stream().anyMatch(line -> line.contains(words));
  }

  @Test
  void sighupThatIsIgnoredAtStartStaysIgnored() throws IOException {
    try (PenstockProcess penstock =
        start(List.of("sh", "-c", "trap '' HUP; exec \"$0\" \"$@\""), NOWHERE)) {
      hangUp(penstock);

      penstock.terminate();

      assertThat(penstock.awaitEnd()).isEqualTo(143);
      assertThat(penstock.log()).noneMatch(line -> line.contains("SIGHUP"));
    }
  }

  @Test
  void sighupEndsADemo() throws IOException {
    assumeHangupsArrive();
    try (PenstockProcess penstock = start(List.of(), "--spring.profiles.active=demo")) {
      hangUp(penstock);

      assertThat(penstock.awaitEnd()).isEqualTo(129);
    }
  }

  private static PenstockProcess start(List<String> before, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    List<String> flags = new ArrayList<>(List.of(PenstockProcess.QUICK_START));
    flags.add("-D" + ServerBinary.PROPERTY + "=" + ServerBinary.find().path()); // for the demo
    Optional.ofNullable(System.getProperty("penstock.test.fork")) // ports for this JVM's servers
        .ifPresent(fork -> flags.add("-Dpenstock.test.fork=" + fork));
    command.addAll(PenstockProcess.command(flags.toArray(String[]::new)));
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--management.server.port=-1");
    return PenstockProcess.start(command, all.toArray(String[]::new));
  }

  /** Skips the test if SIGHUP is ignored: processes inherit that, for example from nohup. */
  private static void assumeHangupsArrive() throws IOException {
    Path status = Path.of("/proc/self/status");
    boolean ignored =
        Files.exists(status)
            && Files.readAllLines(status).stream()
                .filter(line -> line.startsWith("SigIgn:"))
                .anyMatch(line -> (Character.digit(line.charAt(line.length() - 1), 16) & 1) != 0);
    if (ignored) {
      System.out.println("skipped: SIGHUP is ignored where these tests were started");
    }
    assumeFalse(ignored, "SIGHUP is ignored where these tests were started");
  }

  private static void hangUp(PenstockProcess penstock) throws IOException {
    assertThat(
            new ProcessBuilder("sh", "-c", "kill -HUP " + penstock.pid())
                .inheritIO()
                .start()
                .onExit()
                .join()
                .exitValue())
        .isZero();
  }

  private Ended run(String... arguments) throws IOException {
    List<String> command = PenstockProcess.command(PenstockProcess.QUICK_START);
    command.addAll(List.of(arguments));
    return run(command);
  }

  /** Runs the command in an empty folder and waits for its end. */
  private Ended run(List<String> command) throws IOException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    try {
      process.onExit().orTimeout(1, TimeUnit.MINUTES).join();
    } finally {
      process.destroyForcibly();
    }
    return new Ended(process.exitValue(), Files.readString(output));
  }
}
