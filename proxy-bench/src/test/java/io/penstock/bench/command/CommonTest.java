package io.penstock.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.penstock.bench.harness.Rig;
import io.penstock.bench.harness.Servers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

class CommonTest {

  @TempDir Path folder;

  /** A file that is no jar. */
  private String jar = "";

  @BeforeEach
  void makeJar() throws IOException {
    jar = Files.createFile(folder.resolve("penstock.jar")).toString();
  }

  @Test
  void withoutAnyPenstockNothingIsMeasured() {
    Common common = parsed("--dispatch", "async,sync");
    try (Rig rig = new Rig(common.notes)) {
      assertThatIllegalStateException()
          .isThrownBy(() -> common.penstocks(rig, new Servers("redis://127.0.0.1:1", List.of())))
          .withMessageContaining("no Penstock started");
    }

    assertThat(common.notes.kept())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("penstock-auto-async left out: penstock-auto-async ended at once: Error: ")
        .contains("penstock.jar");
  }

  @Test
  void whatTheUserSetsWinsOverDefaults() {
    Common common =
        parsed(
            "--property",
            "penstock.event-loops=3",
            "--property",
            "penstock.transport=nio",
            "--property",
            "penstock.max-clients=7",
            "--dispatch",
            "sync");

    assertThat(common.setup().settings())
        .containsExactly(
            "penstock.event-loops=3",
            "penstock.transport=nio",
            "penstock.max-clients=7",
            "penstock.dispatch=sync");
  }

  @Test
  void whatIsNotSetHasDefaults() {
    assertThat(parsed("--event-loops", "2").setup().settings())
        .containsExactly(
            "penstock.event-loops=2", "penstock.max-clients=20000", "penstock.transport=auto");
  }

  @Test
  void onlyWhatComparesWaysOfWorkingTakesSeveral() {
    Common common = parsed("--dispatch", "sync,async");

    assertThatIllegalStateException()
        .isThrownBy(common::setup)
        .withMessage("this command takes one dispatch mode (--dispatch)");
    assertThatIllegalStateException()
        .isThrownBy(parsed("--transport", "epoll,nio")::setup)
        .withMessage("this command takes one transport (--transport)");
    assertThatCode(common::setupOfCompared).doesNotThrowAnyException();
  }

  @Test
  void aWayOfWorkingToCompareIsNoProperty() {
    Common common = parsed("--property", "penstock.dispatch=sync");

    assertThat(common.setup().settings()).contains("penstock.dispatch=sync");
    assertThatIllegalStateException()
        .isThrownBy(common::setupOfCompared)
        .withMessageContaining("--dispatch");
    assertThatIllegalStateException()
        .isThrownBy(parsed("--property", "penstock.transport=nio")::setupOfCompared)
        .withMessageContaining("--transport");
  }

  @Test
  void aTransportNamesItsEventLoops() {
    assertThat(parsed("--transport", "epoll:3").setup().settings())
        .containsExactly(
            "penstock.max-clients=20000", "penstock.event-loops=3", "penstock.transport=epoll");
  }

  @Test
  void whereNothingCanBeWrittenNothingIsMeasured() {
    Common common = parsed("--out", jar + "/below/a/file");

    assertThatIllegalStateException()
        .isThrownBy(() -> common.facts(common.setup()))
        .withMessageStartingWith("cannot write to " + jar + "/below/a/file");
  }

  @Test
  void aFolderIsMadeWhereThereIsNone() {
    Common common = parsed("--out", folder.resolve("not/yet").toString());

    assertThatCode(() -> common.facts(common.setup())).doesNotThrowAnyException();
  }

  @Test
  void aResultSaysHowItWasAskedForAndHowMuchItIs() throws IOException {
    Common common = parsed("--seconds", "3", "--requests", "5", "--keys", "7");

    assertThat(common.factsOfRounds(common.setup()))
        .containsEntry(
            "Command line", "`--jar " + jar + " --jvm-flags  --seconds 3 --requests 5 --keys 7`")
        .containsEntry(
            "Scale", "5 requests of a usual redis-benchmark run, timed loads of 3000 ms, 7 keys");
  }

  private Common parsed(String... options) {
    List<String> all = new ArrayList<>(List.of("--jar", jar, "--jvm-flags", ""));
    all.addAll(List.of(options));
    return CommandLine.populateCommand(new Holder(), all.toArray(String[]::new)).common;
  }

  @Command
  private static final class Holder {
    @Mixin private final Common common = new Common();
  }
}
