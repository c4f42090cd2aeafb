package io.penstock.core.assembly;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Penstock's own version, from a file that the build writes. */
final class ProxyVersion {

  private ProxyVersion() {}

  static String read() {
    try (InputStream in = ProxyVersion.class.getResourceAsStream("version.properties")) {
      Properties properties = new Properties();
      properties.load(in);
      return properties.getProperty("version", "unknown");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
