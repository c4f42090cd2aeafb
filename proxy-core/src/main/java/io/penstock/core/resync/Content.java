package io.penstock.core.resync;

/**
 * What a value is, however its server stores it.
 *
 * @param type as {@code TYPE} names it
 * @param isKnown whether there is a digest of this type
 * @param digest of the elements
 * @param deadlines digest of the deadlines of fields; 0 without any
 */
record Content(String type, boolean isKnown, long digest, long deadlines) {

  static Content unknown(String type) {
    return new Content(type, false, 0, 0);
  }

  static Content of(String type, long digest) {
    return new Content(type, true, digest, 0);
  }
}
