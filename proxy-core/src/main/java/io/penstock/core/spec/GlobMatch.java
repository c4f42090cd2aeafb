package io.penstock.core.spec;

/**
 * Matches one text against a pattern, in slices of any size. Only the last star is retried, which
 * is sufficient and limits the work to pattern length times text length. Not thread-safe.
 */
public final class GlobMatch {

  /** Returned by {@link #step} if more steps are needed. */
  public static final int UNDECIDED = -1;

  private final Glob glob;
  private final String text;
  private int element;
  private int at; // in the text
  private int afterStar = -1; // element
  private int retryAt;

  public GlobMatch(Glob glob, String text) {
    this.glob = glob;
    this.text = text;
  }

  /**
   * Runs up to {@code steps} steps; returns the number of steps left over, or {@link #UNDECIDED}.
   */
  public int step(int steps) {
    for (int left = steps; left > 0; left--) {
      if (at >= text.length() || !advance()) {
        return left;
      }
    }
    return UNDECIDED;
  }

  /** Runs one step; returns false if the result is decided. */
  private boolean advance() {
    if (element < glob.size() && glob.isStar(element)) {
      afterStar = ++element;
      retryAt = at;
      if (element == glob.size()) {
        at = text.length(); // the last star matches the rest of the text
      }
    } else if (element < glob.size() && glob.accepts(element, text.charAt(at))) {
      element++;
      at++;
    } else if (afterStar >= 0) {
      element = afterStar;
      at = ++retryAt;
    } else {
      return false;
    }
    return true;
  }

  /**
   * Returns whether the whole text matches; valid once that is decided. A star does not match an
   * empty text.
   */
  public boolean isMatch() {
    boolean starLeft = element == glob.size() - 1 && glob.isStar(element) && !text.isEmpty();
    return at >= text.length() && (element == glob.size() || starLeft);
  }
}
