package io.penstock.bench.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** What the reader of a result must know, printed at once and kept for the report. */
public final class Notes {

  private final PrintStream out;
  private final List<String> kept = new ArrayList<>();

  public Notes(PrintStream out) {
    this.out = out;
  }

  /** Prints and keeps; of many lines only the first. */
  public void add(String note) {
    out.println(note);
    kept.add(note.lines().findFirst().orElse(""));
  }

  /** Prints and forgets. */
  public void progress(String line) {
    out.println(line);
  }

  /** Takes the step; answers whether it succeeds, and a note says why not. */
  public boolean succeeds(String what, Step step) throws InterruptedException {
    try {
      step.take();
      return true;
    } catch (IOException | RuntimeException e) {
      add(what + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()));
      return false;
    }
  }

  /** Something that may fail without an end to everything. */
  public interface Step {

    /** Does it. */
    void take() throws IOException, InterruptedException;
  }

  public List<String> kept() {
    return List.copyOf(kept);
  }
}
