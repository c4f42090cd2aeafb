package io.penstock.server.table;

import io.penstock.server.sources.BoundedJson;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Finds the file with a resource table: on the class path, as camellia-redis-proxy does, and else
 * as a path; a relative one begins at the working directory. It is read anew each time.
 */
public final class TableFile {

  private static final String BYTE_ORDER_MARK = "\uFEFF";

  private TableFile() {}

  /**
   * Returns the text of the file.
   *
   * @throws InvalidTableException if there is none, or it cannot be read
   */
  public static String read(String name) {
    String stripped = name.strip();
    try {
      URL onClassPath = onClassPath(stripped);
      byte[] content;
      if (onClassPath != null) {
        try (InputStream in = onClassPath.openStream()) {
          content = in.readNBytes(BoundedJson.SIZE + 1);
        }
      } else {
        content = content(Path.of(stripped));
      }
      if (content.length > BoundedJson.SIZE) {
        throw new InvalidTableException(
            "",
            "it has more than " + BoundedJson.SIZE + " bytes",
            "write a smaller table: " + BoundedJson.SIZE + " bytes (1 MB) are allowed");
      }
      return decoded(content);
    } catch (InvalidPathException e) {
      throw new InvalidTableException("", "it is no path", "write the path of a file");
    } catch (IOException e) {
      throw new InvalidTableException(
          "",
          "it cannot be read (" + e.getClass().getSimpleName() + ")",
          "let the user that Penstock runs as read the file");
    }
  }

  /** Returns the path of the file, whether it exists or not; null if there is none. */
  public static @Nullable Path path(String name) {
    try {
      String stripped = name.strip();
      URL onClassPath = onClassPath(stripped);
      URI uri = onClassPath == null ? null : onClassPath.toURI();
      return uri != null && "file".equals(uri.getScheme())
          ? Path.of(uri)
          : Path.of(stripped).toAbsolutePath();
    } catch (InvalidPathException | URISyntaxException | FileSystemNotFoundException e) {
      return null; // reading it reports the error
    }
  }

  private static @Nullable URL onClassPath(String name) {
    ClassLoader loader = TableFile.class.getClassLoader();
    return name.isEmpty() || name.startsWith("/") ? null : loader.getResource(name);
  }

  /** A pipe could be read only once, and reading it may wait for ever. */
  private static byte[] content(Path file) throws IOException {
    if (Files.isDirectory(file)) {
      throw new InvalidTableException("", "it is a directory", "write the path of a file in it");
    }
    if (!Files.exists(file)) {
      throw new InvalidTableException(
          "",
          "it is neither on the class path nor a file",
          "create it, or correct the path; a relative one begins at the working directory");
    }
    if (!Files.isRegularFile(file)) {
      throw new InvalidTableException(
          "",
          "it is no regular file, and Penstock reads it more than once",
          "write a regular file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      return in.readNBytes(BoundedJson.SIZE + 1);
    }
  }

  private static String decoded(byte[] content) {
    try {
      String text = StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(content)).toString();
      return text.startsWith(BYTE_ORDER_MARK) ? text.substring(1) : text;
    } catch (CharacterCodingException e) {
      throw new InvalidTableException("", "it is not UTF-8", "write it in UTF-8");
    }
  }
}
