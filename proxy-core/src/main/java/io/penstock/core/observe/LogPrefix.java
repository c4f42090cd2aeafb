package io.penstock.core.observe;

/**
 * What log lines about an upstream begin with: its name, if there are several, and that it is on
 * trial, while a change of the settings may still be refused. An argument of a log line: {@link
 * #toString} is the text at that moment. Safe from any thread.
 */
public final class LogPrefix {

  /** The prefix of the only upstream. */
  public static final LogPrefix NONE = new LogPrefix(Label.ONLY, false);

  private final String text;
  private volatile boolean trial;

  private LogPrefix(Label upstream, boolean trial) {
    this.text = upstream.prefix();
    this.trial = trial;
  }

  /** Returns the prefix of an upstream that is in use. */
  public static LogPrefix of(Label upstream) {
    return new LogPrefix(upstream, false);
  }

  /** Returns the prefix of an upstream that is on trial until {@link #endTrial}. */
  public static LogPrefix ofTrial(Label upstream) {
    return new LogPrefix(upstream, true);
  }

  /** The upstream is in use from now on. */
  public void endTrial() {
    trial = false;
  }

  @Override
  public String toString() {
    return trial ? "On trial: " + text : text;
  }
}
