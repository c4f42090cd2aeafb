package io.penstock.server.sources;

/**
 * What a configuration file may contain: far more than any configuration needs, and far less than
 * would hurt a process that serves clients with a small heap.
 */
final class Bounds {

  /** Size of a file in bytes. */
  static final int SIZE = 1 << 20;

  /** Levels of sections and lists. */
  static final int DEPTH = 50;

  /** Documents of a file. */
  static final int DOCUMENTS = 100;

  /** Values of a file or a folder, after aliases are replaced. */
  static final int VALUES = 20_000;

  /** Characters of all keys and values, after aliases are replaced. */
  static final int CHARACTERS = 4 << 20;

  private Bounds() {}
}
