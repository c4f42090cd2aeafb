package io.penstock.core.listener;

import io.penstock.core.transport.UnixSockets;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Where a listener accepts clients. Its text is for log lines. */
public sealed interface ListenAddress {

  /**
   * One port of one or several addresses of this machine. Its text has each address with the port,
   * as URLs have them.
   *
   * @param hosts host names or literal addresses, at least one, none twice
   * @param port TCP port of all; 0 selects a free one
   */
  record Tcp(List<String> hosts, int port) implements ListenAddress {

    public Tcp {
      hosts = List.copyOf(hosts);
    }

    /** A port of a single address. */
    public Tcp(String host, int port) {
      this(List.of(host), port);
    }

    /** Returns the addresses with another port: the one that was bound instead of 0. */
    public Tcp withPort(int bound) {
      return new Tcp(hosts, bound);
    }

    @Override
    public String toString() {
      return hosts.stream()
          .map(host -> host.indexOf(':') < 0 ? host : "[" + host + "]")
          .map(host -> host + ":" + port)
          .collect(Collectors.joining(", "));
    }
  }

  /**
   * A Unix socket. Its text is its name.
   *
   * @param name as {@link UnixSockets} has it: the path of a file, or an abstract name
   * @param permissions of the file; those of an abstract name are {@link Permissions#NONE}
   */
  record Unix(String name, Permissions permissions) implements ListenAddress {

    /** Bytes of the longest path: the file has a longer one until clients may connect. */
    public static final int MAX_PATH_BYTES =
        UnixSockets.MAX_BYTES - SocketFile.LENGTH_OF_FOLDER - 1;

    /** With the permissions of a new file. */
    public Unix(String name) {
      this(name, Permissions.NONE);
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * Which users may connect to a Unix socket: those that may write to its file.
   *
   * @param mode permission bits of the file, 0 to 0777; null for those that the umask leaves
   * @param user name or number of the file's owner; null for the user of this process
   * @param group name or number of the file's group; null for the one of a new file
   */
  record Permissions(@Nullable Integer mode, @Nullable String user, @Nullable String group) {

    /** Nothing is set. */
    public static final Permissions NONE = new Permissions(null, null, null);
  }
}
