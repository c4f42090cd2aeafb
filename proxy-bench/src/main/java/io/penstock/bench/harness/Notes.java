package io.penstock.bench.harness;

import java.io.IOException;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** Notes for the reader of a result: printed at once and kept for the report. */
public final class Notes {

  private final PrintStream out;
  private final List<String> kept = new ArrayList<>();

  public Notes(PrintStream out) {
    this.out = out;
  }

  /** Prints the note and keeps its first line. */
  public void add(String note) {
    out.println(note);
    kept.add(note.lines().findFirst().orElse(""));
  }

  /** Prints a line that the report does not need. */
  public void progress(String line) {
    out.println(line);
  }

  /** Runs the step and returns whether it succeeded; if not, adds a note with the reason. */
  public boolean succeeds(String what, Step step) throws InterruptedException {
    try {
      step.take();
      return true;
    } catch (IOException | RuntimeException e) {
      add(what + ": " + (e.getMessage() == null ? e.toString() : e.getMessage()));
      return false;
    }
  }

  /** A step whose failure does not end the run. */
  public interface Step {

    /** Does it. */
    void take() throws IOException, InterruptedException;
  }

  public List<String> kept() {
    return List.copyOf(kept);
  }
}
