package io.penstock.bench.command;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.penstock.bench.harness.Rig;
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
          .isThrownBy(() -> common.penstocks(rig, "redis://127.0.0.1:1"))
          .withMessageContaining("no Penstock started");
    }

    assertThat(common.notes.kept())
        .hasSize(2)
        .first()
        .asString()
        .startsWith("penstock-async left out: penstock-async ended at once: Error: ")
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
            "penstock.event-loops=2", "penstock.transport=auto", "penstock.max-clients=20000");
  }

  @Test
  void onlyWhatComparesWaysOfWorkingTakesSeveral() {
    Common common = parsed("--dispatch", "sync,async");

    assertThatIllegalStateException()
        .isThrownBy(common::setup)
        .withMessage("this command takes one dispatch mode (--dispatch)");
    assertThatCode(common::setupOfDispatchModes).doesNotThrowAnyException();
  }

  @Test
  void aWayOfWorkingToCompareIsNoProperty() {
    Common common = parsed("--property", "penstock.dispatch=sync");

    assertThat(common.setup().settings()).contains("penstock.dispatch=sync");
    assertThatIllegalStateException()
        .isThrownBy(common::setupOfDispatchModes)
        .withMessageContaining("--dispatch");
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

    assertThat(common.facts(common.setup()))
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
