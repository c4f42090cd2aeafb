package io.penstock.core.spec;

/**
 * One text that a pattern is tried on, in as many slices as the caller likes. Only the last star is
 * ever tried again, which is enough, so that it takes pattern times text steps at most. Not
 * thread-safe.
 */
public final class GlobMatch {

  /** What {@link #step} gives when there is more to do. */
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

  /** Takes up to {@code steps} steps; gives those left over, or {@link #UNDECIDED}. */
  public int step(int steps) {
    for (int left = steps; left > 0; left--) {
      if (at >= text.length() || !advance()) {
        return left;
      }
    }
    return UNDECIDED;
  }

  /** Gives false when it is decided. */
  private boolean advance() {
    if (element < glob.size() && glob.isStar(element)) {
      afterStar = ++element;
      retryAt = at;
      if (element == glob.size()) {
        at = text.length(); // the star is for all that is left
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

  /** Whether the whole text matches; when that is decided. An empty text has no star matched. */
  public boolean isMatch() {
    boolean starLeft = element == glob.size() - 1 && glob.isStar(element) && !text.isEmpty();
    return at >= text.length() && (element == glob.size() || starLeft);
  }
}
