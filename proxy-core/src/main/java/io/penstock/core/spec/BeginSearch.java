package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;

/** The first half of a {@link KeySpec}: where in a request its keys begin. */
public sealed interface BeginSearch {

  /** What {@link #first} gives when the spec cannot tell. */
  int UNKNOWABLE = -1;

  /** What {@link #first} gives when this request has no such keys. */
  int ABSENT = 0;

  /**
   * The argument index at which the second half starts, or {@link #ABSENT} or {@link #UNKNOWABLE}.
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
   * Behind a keyword.
   *
   * @param keyword as the server spells it, matched in any case
   * @param startFrom argument index at which the search starts; negative counts from the request's
   *     end and searches backwards
   */
  record Keyword(String keyword, int startFrom) implements BeginSearch {
    @Override
    public int first(RequestFrame frame) {
      return startFrom > 0 ? searchForwards(frame) : searchBackwards(frame);
    }

    private int searchForwards(RequestFrame frame) {
      // A keyword that is the last argument has nothing behind it.
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

  /** Nowhere that a spec could say. */
  record Unknown() implements BeginSearch {
    @Override
    public int first(RequestFrame frame) {
      return UNKNOWABLE;
    }
  }
}
