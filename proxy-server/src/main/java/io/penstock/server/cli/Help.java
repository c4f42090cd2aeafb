package io.penstock.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The output of {@code --help}. */
public final class Help {

  private Help() {}

  /** Returns the text; each line ends with a line break. */
  public static String text() {
    try (InputStream in = Help.class.getResourceAsStream("help.txt")) {
      if (in == null) {
        throw new IllegalStateException("help.txt is missing next to " + Help.class);
      }
      return new String(in.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
