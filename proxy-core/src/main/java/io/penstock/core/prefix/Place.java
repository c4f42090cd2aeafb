package io.penstock.core.prefix;

/** What stands at one place of a reply. */
enum Place {
  /** A reply without keys that nothing is taken off, not even if it is an error. */
  REPLY_AS_IT_IS,
  /** A reply without keys. */
  REPLY,
  /** A value within a reply that has no keys. */
  OTHER,
  /** A key. */
  KEY,
  /** Each element is a key. */
  EACH,
  /** The second element has a key in each element. */
  SECOND,
  /** The first element is a key. */
  FIRST,
  /** An array whose elements have a key first, or a map with keys. */
  STREAMS,
  /** Keys and other values in turn. */
  PAIRS,
  /** An array, of which the client gets only the number of elements. */
  COUNTED,
  /** A value that the client does not get. */
  DROPPED,
  /** The reply to {@code EXEC}: each element is a reply. */
  REPLIES;

  /** Returns what the element at {@code index} of such a value is, unless this has replies. */
  Place element(long index, boolean ofMap) {
    return switch (this) {
      case EACH -> KEY;
      case SECOND -> index == 1 ? EACH : OTHER;
      case FIRST -> index == 0 ? KEY : OTHER;
      case STREAMS -> ofMap ? turn(index) : FIRST;
      case PAIRS -> turn(index);
      case COUNTED -> DROPPED;
      case REPLY_AS_IT_IS, REPLY, OTHER, KEY, DROPPED, REPLIES -> OTHER;
    };
  }

  private static Place turn(long index) {
    return index % 2 == 0 ? KEY : OTHER;
  }

  /** Returns whether its elements matter. */
  boolean hasElements() {
    return switch (this) {
      case EACH, SECOND, FIRST, STREAMS, PAIRS, COUNTED, REPLIES -> true;
      case REPLY_AS_IT_IS, REPLY, OTHER, KEY, DROPPED -> false;
    };
  }
}
