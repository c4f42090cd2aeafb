package io.penstock.server.fault;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The open files of this process, for the message of a test that found too many. */
final class OpenFiles {

  private static final Path PROCESS = Path.of("/proc/self");
  private static final String SOCKET = "socket:[";

  /** Fields of a line of {@code /proc/self/net/tcp}, see proc_pid_net(5). */
  private static final int LOCAL = 1;

  private static final int REMOTE = 2;
  private static final int STATE = 3;
  private static final int INODE = 9;

  private OpenFiles() {}

  /**
   * Returns the names, sorted; for sockets the ports and the kernel's state number. Empty on other
   * systems than Linux.
   */
  static List<String> names() {
    List<String> names = new ArrayList<>();
    if (!Files.isDirectory(PROCESS)) {
      return names;
    }
    Map<String, String> sockets = sockets();
    try (Stream<Path> files = Files.list(PROCESS.resolve("fd"))) {
      for (Path file : files.toList()) {
        String target = target(file);
        if (target.startsWith(SOCKET)) {
          String inode = target.substring(SOCKET.length(), target.length() - 1);
          target = sockets.getOrDefault(inode, "a socket of another kind");
        }
        names.add(target);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    names.sort(null);
    return names;
  }

  private static String target(Path file) {
    try {
      return Files.readSymbolicLink(file).toString();
    } catch (IOException e) {
      return "closed meanwhile";
    }
  }

  private static Map<String, String> sockets() {
    Map<String, String> sockets = new HashMap<>();
    for (String table : List.of("net/tcp", "net/tcp6", "net/udp", "net/udp6")) {
      try {
        for (String line : Files.readAllLines(PROCESS.resolve(table))) {
          String[] fields = line.strip().split("\\s+");
          if (fields[0].endsWith(":")) {
            sockets.put(
                fields[INODE],
                table
                    + " "
                    + port(fields[LOCAL])
                    + " to "
                    + port(fields[REMOTE])
                    + ", state "
                    + fields[STATE]);
          }
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return sockets;
  }

  private static int port(String address) {
    return Integer.parseInt(address.substring(address.indexOf(':') + 1), 16);
  }
}
