package io.penstock.server.sources;

/** A configuration file, or a folder of values, has more than {@link Bounds} allow. */
public final class UnboundedSourceException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * @param source names the file or the folder
   * @param found what it has, in words
   * @param limit how much of that is allowed, in words
   */
  UnboundedSourceException(String source, String found, String limit) {
    super("%s %s; at most %s".formatted(source, found, limit));
  }
}
