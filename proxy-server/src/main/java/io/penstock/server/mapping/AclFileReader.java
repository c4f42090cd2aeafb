package io.penstock.server.mapping;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import io.penstock.core.acl.AclFile;
import io.penstock.core.acl.AclFile.AclFileException;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import io.penstock.server.config.PropertiesReader;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads a file with users in the format of Redis's ACL file.
 *
 * @param key of the file
 */
record AclFileReader(PropertiesReader reader, String key, CommandTable commands) {

  /** In bytes. */
  private static final int MAX_LENGTH = 4 << 20;

  private static final String FORMAT =
      "write a line for each user, such as: user app on >password ~app:* +@all -@dangerous";

  List<AclUser> read(Path file) {
    try {
      return AclFile.read(new String(content(file), ISO_8859_1), file.toString(), commands);
    } catch (AclFileException e) {
      String errors = String.valueOf(e.getMessage()).replaceFirst("WARNING: ACL errors.*", "");
      throw reader.invalid(key, errors.strip(), FORMAT);
    } catch (NoSuchFileException e) {
      throw reader.invalid(key, "there is no such file", "create it, empty if there are no users");
    } catch (IOException e) {
      throw reader.invalid(
          key,
          "it cannot be read (" + e.getClass().getSimpleName() + ")",
          "let the user that Penstock runs as read the file");
    }
  }

  private byte[] content(Path file) throws IOException {
    if (Files.exists(file) && !Files.isRegularFile(file)) {
      throw reader.invalid(key, "it is no regular file", "write the path of a file");
    }
    try (InputStream in = Files.newInputStream(file)) {
      byte[] content = in.readNBytes(MAX_LENGTH + 1);
      if (content.length > MAX_LENGTH) {
        throw reader.invalid(key, "it has more than 4 MB", "write fewer or shorter rules");
      }
      return content;
    }
  }
}
