package io.penstock.core.transport;

import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.kqueue.KQueueDomainSocketChannel;
import io.netty.channel.unix.PeerCredentials;
import io.netty.channel.uring.IoUringDomainSocketChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Names of Unix sockets, and their clients. A name is the absolute path of a file, or {@code @name}
 * for a name of Linux's abstract namespace, which is no file. Safe from any thread.
 */
public final class UnixSockets {

  private static final boolean MAC_OS = System.getProperty("os.name", "").startsWith("Mac");

  /** Bytes of the longest name: the system's {@code sun_path} less two, as with the JDK. */
  public static final int MAX_BYTES = MAC_OS ? 102 : 106;

  private static final String ABSTRACT = "@";

  private UnixSockets() {}

  /** Returns whether it is an abstract name. */
  public static boolean isAbstract(String name) {
    return name.startsWith(ABSTRACT);
  }

  /**
   * Returns why a text is not the name of a Unix socket, or null if it is one.
   *
   * @param most bytes of the longest path; abstract names may have {@link #MAX_BYTES}
   */
  public static @Nullable String fault(String name, int most) {
    int limit = isAbstract(name) ? MAX_BYTES : most;
    int bytes = name.getBytes(StandardCharsets.UTF_8).length;
    if (!name.startsWith("/") && !isAbstract(name)) {
      return "it is neither an absolute path nor @ and a name";
    }
    if (name.length() == 1 || name.endsWith("/")) {
      return isAbstract(name) ? "there is no name behind the @" : "it is the path of a folder";
    }
    if (name.chars().anyMatch(Character::isISOControl)) {
      return "it contains a control character";
    }
    return bytes > limit
        ? "it has " + bytes + " bytes, and the longest possible name has " + limit
        : null;
  }

  /** Returns the name as the system has it: an abstract one begins with a NUL. */
  public static String systemName(String name) {
    return isAbstract(name) ? '\0' + name.substring(1) : name;
  }

  /**
   * Returns the process at the other end of a connection as it was when it connected; null if the
   * transport does not tell.
   */
  public static @Nullable PeerCredentials peer(Channel channel) {
    try {
      return switch (channel) {
        case EpollDomainSocketChannel epoll -> epoll.peerCredentials();
        case IoUringDomainSocketChannel uring -> uring.peerCredentials();
        case KQueueDomainSocketChannel kqueue -> kqueue.peerCredentials();
        default -> null;
      };
    } catch (IOException _) { // the connection is closed
      return null;
    }
  }

  /** Returns the first group of a process: the effective one; -1 if there is none. */
  public static int group(PeerCredentials peer) {
    int[] groups = peer.gids();
    return groups.length == 0 ? -1 : groups[0];
  }

  /** Returns a client's address for log lines: the name of the socket, and its process. */
  public static String describe(String name, Channel channel) {
    PeerCredentials peer = peer(channel);
    return peer == null
        ? name
        : name + ", pid " + peer.pid() + ", uid " + peer.uid() + ", gid " + group(peer);
  }
}
