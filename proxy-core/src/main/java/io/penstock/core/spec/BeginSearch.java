package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;

/** The first half of a {@link KeySpec}: where the keys of a request begin. */
public sealed interface BeginSearch {

  /** Returned by {@link #first} if the spec does not define it. */
  int UNKNOWABLE = -1;

  /** Returned by {@link #first} if this request has no such keys. */
  int ABSENT = 0;

  /**
   * Returns the argument index at which the second half starts, or {@link #ABSENT} or {@link
   * #UNKNOWABLE}.
   */
  int first(RequestFrame frame);

  /** At a fixed argument index. */
  record Index(int index) implements BeginSearch {
    @Override
    public int first(RequestFrame frame) {
      return index;
    }
  }

  /**
   * After a keyword.
   *
   * @param keyword as the server spells it, matched ignoring case
   * @param startFrom argument index at which the search starts; negative counts from the request's
   *     end and searches backwards
   */
  record Keyword(String keyword, int startFrom) implements BeginSearch {
    @Override
    public int first(RequestFrame frame) {
      return startFrom > 0 ? searchForwards(frame) : searchBackwards(frame);
    }

    private int searchForwards(RequestFrame frame) {
      // A keyword that is the last argument has no keys behind it.
      int last = frame.argc() - 1;
      for (int i = startFrom; i < last; i++) {
        if (Ascii.equalsIgnoreCase(frame, i, keyword)) {
          return i + 1;
        }
      }
      return ABSENT;
    }

    private int searchBackwards(RequestFrame frame) {
      for (int i = frame.argc() + startFrom; i > 1; i--) {
        if (Ascii.equalsIgnoreCase(frame, i, keyword)) {
          return i + 1;
        }
      }
      return ABSENT;
    }
  }

  /** At a position that no spec can describe. */
  record Unknown() implements BeginSearch {
    @Override
    public int first(RequestFrame frame) {
      return UNKNOWABLE;
    }
  }
}
