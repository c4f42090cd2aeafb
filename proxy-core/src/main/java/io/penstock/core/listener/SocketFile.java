package io.penstock.core.listener;

import io.penstock.core.listener.UnusableSocketFileException.Reason;
import java.io.IOException;
import java.net.ConnectException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipalLookupService;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file of a listening Unix socket. The socket is bound in a folder of its own that nobody else
 * may enter, gets its owner and mode there, and is moved to its path then: nobody can connect
 * before, and a stale file is replaced at once (docs/adr/0038).
 *
 * <p>All methods block, and are called by one thread at a time; {@link #isOurs} by any.
 */
final class SocketFile {

  private static final Logger log = LoggerFactory.getLogger(SocketFile.class);

  /** Characters of the name of the folder in which the socket is bound. */
  static final int LENGTH_OF_FOLDER = 6;

  private static final int FILE_TYPE = 0170000;
  private static final int SOCKET = 0140000;
  private static final int RADIX = 36;
  private static final int ATTEMPTS = 100;

  private final Path path;
  private final ListenAddress.Permissions permissions;
  private final Path folder;
  private volatile @Nullable Object key; // of the file at the path; null while it is not there

  private SocketFile(Path path, ListenAddress.Permissions permissions, Path folder) {
    this.path = path;
    this.permissions = permissions;
    this.folder = folder;
  }

  /**
   * Makes a place to bind the socket.
   *
   * @throws UnusableSocketFileException if the path cannot become the socket
   */
  static SocketFile create(ListenAddress.Unix address) throws IOException {
    Path path = Path.of(address.name());
    Path parent = Objects.requireNonNull(path.getParent());
    if (Files.notExists(parent)) {
      throw new UnusableSocketFileException(
          Reason.NO_FOLDER, "the folder " + parent + " does not exist", null);
    }
    isStale(path); // fails if it is anything else
    return new SocketFile(path, address.permissions(), newFolder(parent));
  }

  private static Path newFolder(Path parent) throws IOException {
    var ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
    IOException failure = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      int first = (int) Math.pow(RADIX, LENGTH_OF_FOLDER - 2);
      int number = ThreadLocalRandom.current().nextInt(first, first * RADIX);
      try {
        return Files.createDirectory(
            parent.resolve("." + Integer.toString(number, RADIX)), ownerOnly);
      } catch (FileAlreadyExistsException e) {
        failure = e;
      } catch (AccessDeniedException e) {
        throw notAllowed("this process may not create files in " + parent, e);
      }
    }
    throw Objects.requireNonNull(failure);
  }

  /**
   * Returns whether a socket file is there on which no process listens.
   *
   * @throws UnusableSocketFileException if something else is there
   */
  private static boolean isStale(Path path) throws IOException {
    int mode;
    try {
      mode = (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS);
    } catch (NoSuchFileException _) {
      return false;
    } catch (AccessDeniedException e) {
      throw notAllowed("this process may not enter the folder", e);
    }
    if ((mode & FILE_TYPE) != SOCKET) {
      throw new UnusableSocketFileException(
          Reason.OTHER_FILE, "there is a file or folder that is no socket", null);
    }
    try (SocketChannel probe = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      probe.configureBlocking(false); // a process that does not accept would block it
      probe.connect(UnixDomainSocketAddress.of(path));
    } catch (ConnectException _) {
      return true;
    } catch (IOException e) {
      if (String.valueOf(e.getMessage()).toLowerCase(Locale.ROOT).contains("permission")) {
        throw notAllowed("it cannot be found out whether a process listens there", e);
      }
      throw inUse(e); // its queue is full, or it takes datagrams
    }
    throw inUse(null);
  }

  private static UnusableSocketFileException inUse(@Nullable IOException cause) {
    return new UnusableSocketFileException(
        Reason.IN_USE, "another process listens there already", cause);
  }

  private static UnusableSocketFileException notAllowed(String what, IOException cause) {
    return new UnusableSocketFileException(
        Reason.NOT_ALLOWED, what + " (" + cause.getMessage() + ")", cause);
  }

  /** What is done to files. */
  interface Work {
    void run() throws IOException;
  }

  /** Runs what blocks on a thread of its own. Completes there. */
  static CompletableFuture<Void> run(Work work) {
    var done = new CompletableFuture<Void>();
    Thread.ofVirtual()
        .name("penstock-socket-file")
        .start(() -> {
          try {
            work.run();
            done.complete(null);
          } catch (IOException | RuntimeException e) {
            done.completeExceptionally(e);
          }
        });
    return done;
  }

  /** Returns the path at which the socket is to be bound. */
  Path temporary() {
    return folder.resolve(Objects.requireNonNull(path.getFileName()));
  }

  /**
   * Sets owner and mode of the bound socket, and moves it to its path.
   *
   * @throws UnusableSocketFileException if that is not possible; {@link #delete} is called then
   */
  void publish() throws IOException {
    Path bound = temporary();
    setPermissions(bound);
    Object own = keyOf(bound);
    boolean stale = isStale(path);
    if (stale || !link(bound)) {
      Files.move(bound, path, StandardCopyOption.ATOMIC_MOVE);
    }
    key = own;
    if (stale) {
      log.info("{} was left behind by a process that has ended, and is replaced", path);
    }
    deleteFolder();
  }

  /**
   * Gives the socket its path, unless a file has appeared there. Returns false if the file system
   * has no links.
   */
  private boolean link(Path bound) throws IOException {
    try {
      Files.createLink(path, bound);
      return true;
    } catch (FileAlreadyExistsException e) {
      throw inUse(e);
    } catch (FileSystemException | UnsupportedOperationException _) {
      return false;
    }
  }

  private void setPermissions(Path bound) throws IOException {
    PosixFileAttributeView file =
        Files.getFileAttributeView(bound, PosixFileAttributeView.class); // no link: see the folder
    Integer mode = permissions.mode();
    if (mode != null) {
      file.setPermissions(bits(mode));
    }
    UserPrincipalLookupService names = bound.getFileSystem().getUserPrincipalLookupService();
    String group = permissions.group();
    String user = permissions.user();
    try {
      if (group != null) {
        file.setGroup(names.lookupPrincipalByGroupName(group));
      }
      if (user != null) {
        file.setOwner(names.lookupPrincipalByName(user));
      }
    } catch (FileSystemException e) {
      throw new UnusableSocketFileException(
          Reason.OWNER,
          "this process may not give the socket to %s:%s (%s)"
              .formatted(
                  Objects.requireNonNullElse(user, ""),
                  Objects.requireNonNullElse(group, ""),
                  e.getReason()),
          e);
    }
  }

  private static Set<PosixFilePermission> bits(int mode) {
    PosixFilePermission[] all = PosixFilePermission.values(); // from the owner's r to others' x
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < all.length; i++) {
      if ((mode >> (all.length - 1 - i) & 1) != 0) {
        set.add(all[i]);
      }
    }
    return set;
  }

  private static @Nullable Object keyOf(Path file) throws IOException {
    return Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
        .fileKey();
  }

  /** Returns whether clients find the socket at the path. */
  boolean isOurs() {
    try {
      Object own = key;
      return own != null && own.equals(keyOf(path));
    } catch (IOException _) {
      return false;
    }
  }

  /**
   * Deletes the file if it still is that of the socket, which must not be closed before: its inode
   * could be that of another file then. Does not throw.
   */
  void delete() {
    try {
      if (isOurs()) {
        Files.deleteIfExists(path);
      } else if (key != null) {
        log.info("{} is not deleted: it was deleted or replaced by others", path);
      }
      key = null;
      deleteFolder();
    } catch (IOException e) {
      log.warn("{} could not be deleted: {}", path, e.toString());
    }
  }

  private void deleteFolder() throws IOException {
    Files.deleteIfExists(temporary());
    Files.deleteIfExists(folder);
  }
}
