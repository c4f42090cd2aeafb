package io.penstock.server.secret;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file whose first line is a secret, in UTF-8. It is read anew each time: a file that was
 * replaced is used from the next reading on.
 */
public final class SecretFile {

  private static final Logger LOG = LoggerFactory.getLogger(SecretFile.class);

  /** In bytes. Redis accepts no longer argument from a client before it has authenticated. */
  static final int MAX_LENGTH = 16 * 1024;

  /** The files that a warning was logged for: once for each, not at each reload. */
  private static final Set<Path> WARNED = ConcurrentHashMap.newKeySet();

  private SecretFile() {}

  /**
   * Returns the first line, without its end. Logs a warning if every user of the machine can read
   * the file.
   *
   * @param name path of the file; a relative one begins at the working directory
   * @throws SecretFileException if there is no such line, or it cannot be read
   */
  public static String read(String name) throws SecretFileException {
    try {
      Path file = Path.of(name.strip());
      requireFile(file);
      String secret = decode(firstLine(file));
      if (secret.isBlank()) {
        throw new SecretFileException(
            "its first line is empty", "write the password to the first line of the file");
      }
      warnIfOthersCanRead(file);
      return secret;
    } catch (InvalidPathException e) {
      throw new SecretFileException("it is no path", "write the path of a file");
    } catch (IOException e) {
      throw unreadable(e);
    }
  }

  /** A pipe could be read only once, and reading it may wait for ever. */
  private static void requireFile(Path file) throws SecretFileException {
    if (Files.isDirectory(file)) {
      throw new SecretFileException("it is a directory", "write the path of a file in it");
    }
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw new SecretFileException(
          "it is no regular file, and Penstock reads it more than once",
          "write the password to a regular file");
    }
  }

  private static byte[] firstLine(Path file) throws IOException, SecretFileException {
    byte[] start;
    try (InputStream in = Files.newInputStream(file)) {
      start = in.readNBytes(MAX_LENGTH + 2); // with the end of the line
    }
    int end = 0;
    while (end < start.length && start[end] != '\n') {
      end++;
    }
    if (end > 0 && end < start.length && start[end - 1] == '\r') {
      end--;
    }
    if (end > MAX_LENGTH) {
      throw new SecretFileException(
          "its first line is longer than " + MAX_LENGTH + " bytes",
          "write the path of a file with only the password");
    }
    return Arrays.copyOf(start, end);
  }

  private static String decode(byte[] line) throws SecretFileException {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(line)).toString();
    } catch (CharacterCodingException e) {
      throw new SecretFileException("its first line is not UTF-8", "write it in UTF-8");
    }
  }

  private static SecretFileException unreadable(IOException failure) {
    return failure instanceof NoSuchFileException
        ? new SecretFileException("there is no such file", "create it, or correct the path")
        : new SecretFileException(
            "it cannot be read (" + failure.getClass().getSimpleName() + ")",
            "let the user that Penstock runs as read the file");
  }

  private static void warnIfOthersCanRead(Path file) throws IOException {
    Path real = file.toRealPath();
    if (real.getFileSystem().supportedFileAttributeViews().contains("posix")
        && Files.getPosixFilePermissions(real).contains(PosixFilePermission.OTHERS_READ)
        && WARNED.add(file.toAbsolutePath())) {
      LOG.warn(
          "Every user of this machine can read the secret in {}. Let only its owner and group read"
              + " it: chmod 440, or defaultMode: 0440 of a volume of Kubernetes",
          file);
    }
  }
}
