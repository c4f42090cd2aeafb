package io.penstock.core.users;

import io.penstock.core.acl.AclFile;
import io.penstock.core.acl.AclUser;
import io.penstock.core.command.CommandTable;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads and writes the ACL file of users, each on a virtual thread. Safe from any thread. */
public final class AclFiles {

  private static final Logger log = LoggerFactory.getLogger(AclFiles.class);

  private static final String NO_FILE =
      "This Redis instance is not configured to use an ACL file. You may want to specify users via"
          + " the ACL SETUSER command and then issue a CONFIG REWRITE (assuming you have a Redis"
          + " configuration file set) in order to store users in the Redis configuration.";
  private static final String NOT_SAVED =
      "There was an error trying to save the ACLs. Please check the server logs for more"
          + " information";

  private AclFiles() {}

  /**
   * Replaces all users by those of the file.
   *
   * @param table by which names of commands are understood
   * @return completes with the error, or an empty text
   */
  public static CompletionStage<String> load(Users users, CommandTable table) {
    return run(users, path -> load(users, path, table));
  }

  private static String load(Users users, Path path, CommandTable table) {
    try {
      String text = Files.readString(path, StandardCharsets.ISO_8859_1);
      users.replace(AclFile.read(text, path.toString(), table));
      log.info("Users loaded from {}", path);
      return "";
    } catch (AclFile.AclFileException e) {
      return String.valueOf(e.getMessage());
    } catch (IOException e) {
      log.warn("Users could not be loaded from {}", path, e);
      return "Error loading ACLs, opening file '" + path + "': " + e.getMessage();
    }
  }

  /**
   * Writes all users to the file, in one step.
   *
   * @return completes with the error, or an empty text
   */
  public static CompletionStage<String> save(Users users) {
    return run(users, path -> save(users, path));
  }

  private static String save(Users users, Path path) {
    List<AclUser> all = new ArrayList<>();
    users.now().all().forEach(user -> all.add(user.acl()));
    Path written = null;
    try {
      Path folder = path.toAbsolutePath().getParent();
      written = Files.createTempFile(folder, path.getFileName() + "-", ".tmp");
      Files.writeString(written, AclFile.write(all), StandardCharsets.ISO_8859_1);
      Files.move(written, path, StandardCopyOption.ATOMIC_MOVE);
      log.info("Users saved to {}", path);
      return "";
    } catch (IOException e) {
      log.warn("Users could not be saved to {}", path, e);
      delete(written);
      return NOT_SAVED;
    }
  }

  private static void delete(@Nullable Path written) {
    try {
      if (written != null) {
        Files.deleteIfExists(written);
      }
    } catch (IOException e) {
      log.warn("{} could not be deleted", written, e);
    }
  }

  private static CompletionStage<String> run(Users users, Function<Path, String> action) {
    Path path = users.aclFile();
    var result = new CompletableFuture<String>();
    if (path == null) {
      result.complete(NO_FILE);
      return result;
    }
    Thread.ofVirtual()
        .name("acl-file")
        .start(() -> {
          try {
            result.complete(action.apply(path));
          } catch (Throwable e) {
            result.completeExceptionally(e);
          }
        });
    return result;
  }
}
