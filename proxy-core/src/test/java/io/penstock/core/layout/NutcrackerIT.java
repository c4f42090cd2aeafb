package io.penstock.core.layout;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.WatchedProcess;
import io.penstock.testkit.wire.Wire;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Asks a real nutcracker where it puts keys. Skipped if there is none on the {@code PATH}; {@link
 * TwemproxyPlacementTest} compares with what it said before. With {@code -Drewrite} that is written
 * anew.
 */
class NutcrackerIT {

  private static final int KEYS_AT_ONCE = 200;
  private static final String REWRITE = "rewrite";
  private static final byte FAILED = -1;

  /** A port that far above the one of a {@link WatchedProcess} is free too. */
  private static final int FREE_OFFSET = 10_000;

  private final List<byte[]> keys = SampleKeys.all();

  @Test
  void nutcrackerPutsKeysWherePenstockDoes() throws Exception {
    Path nutcracker = nutcracker();
    Map<String, String> digests = new TreeMap<>();
    for (TwemproxyPool pool : TwemproxyPool.all()) {
      for (Distribution distribution : TwemproxyPool.DISTRIBUTIONS) {
        compare(nutcracker, pool, distribution, digests);
      }
    }

    if (System.getProperty(REWRITE) != null) {
      RecordedPlacements.write(version(nutcracker), digests);
      return;
    }
    assertThat(digests).isEqualTo(RecordedPlacements.read());
  }

  private void compare(
      Path nutcracker, TwemproxyPool pool, Distribution distribution, Map<String, String> digests)
      throws Exception {
    List<NumberServer> servers = new ArrayList<>();
    try {
      for (int i = 0; i < pool.servers().size(); i++) {
        if (i != pool.out()) {
          servers.add(NumberServer.start(pool.servers().get(i).address(), i));
        }
      }
      List<Path> sockets = new ArrayList<>();
      WatchedProcess.Recipe recipe =
          (folder, port) -> {
            TwemproxyPool.HASHES.forEach(hash -> sockets.add(folder.resolve(hash)));
            Path file = folder.resolve("nutcracker.yml");
            Files.write(file, configuration(pool, distribution, sockets, port));
            int statistics = port + FREE_OFFSET;
            return List.of(
                nutcracker.toString(),
                "--conf-file=" + file,
                "--output=" + folder.resolve("nutcracker.log"),
                "--stats-addr=127.0.0.1",
                "--stats-port=" + statistics);
          };
      try (WatchedProcess _ = WatchedProcess.start("nutcracker", recipe)) {
        for (int i = 0; i < sockets.size(); i++) {
          String hash = TwemproxyPool.HASHES.get(i);
          String name = RecordedPlacements.key(pool, distribution, hash);
          byte[] chosen = chosen(sockets.get(i));
          digests.put(name, RecordedPlacements.digest(chosen));
          assertThat(chosen).as(name).isEqualTo(placed(pool.layout(distribution, hash)));
        }
      }
    } finally {
      for (NumberServer server : servers) {
        server.close();
      }
    }
  }

  /** One pool for each hash, and one at {@code port} that shows that nutcracker is up. */
  private static List<String> configuration(
      TwemproxyPool pool, Distribution distribution, List<Path> sockets, int port) {
    List<String> lines = new ArrayList<>();
    lines.add("up:");
    lines.addAll(pool.configuration("127.0.0.1:" + port, distribution, "crc16"));
    for (Path socket : sockets) {
      String hash = socket.getFileName().toString();
      lines.add(hash + ":");
      lines.addAll(pool.configuration(socket.toString(), distribution, hash));
    }
    return lines;
  }

  /** Asks until no server fails that is not ejected yet, and returns the server of each key. */
  private byte[] chosen(Path socket) throws IOException {
    try (SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket))) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(channel));
      OutputStream out = Channels.newOutputStream(channel);
      byte[] chosen = ask(in, out);
      return failed(chosen) ? ask(in, out) : chosen;
    }
  }

  private byte[] ask(InputStream in, OutputStream out) throws IOException {
    byte[] chosen = new byte[keys.size()];
    for (int from = 0; from < chosen.length; from += KEYS_AT_ONCE) {
      int end = Math.min(chosen.length, from + KEYS_AT_ONCE);
      ByteArrayOutputStream requests = new ByteArrayOutputStream();
      for (byte[] key : keys.subList(from, end)) {
        requests.writeBytes(Wire.requestBytes("GET".getBytes(US_ASCII), key));
      }
      out.write(requests.toByteArray());
      for (int i = from; i < end; i++) {
        chosen[i] = number(in);
      }
    }
    return chosen;
  }

  /** Reads a server's number, or an error, which is -1. */
  private static byte number(InputStream in) throws IOException {
    String header = line(in);
    return header.equals("$2") ? Byte.parseByte(line(in)) : FAILED;
  }

  private static String line(InputStream in) throws IOException {
    StringBuilder line = new StringBuilder();
    for (int b = in.read(); b != '\n'; b = in.read()) {
      if (b < 0) {
        throw new EOFException("nutcracker closed the connection after " + line);
      }
      line.append((char) b);
    }
    return line.toString().stripTrailing();
  }

  private static boolean failed(byte[] chosen) {
    for (byte server : chosen) {
      if (server == FAILED) {
        return true;
      }
    }
    return false;
  }

  private byte[] placed(ShardLayout layout) {
    byte[] placed = new byte[keys.size()];
    for (int i = 0; i < placed.length; i++) {
      placed[i] = (byte) layout.shardOf(keys.get(i));
    }
    return placed;
  }

  private static Path nutcracker() {
    Path found = SearchPath.ofThisProcess().find("nutcracker", "twemproxy");
    String reason = "there is no nutcracker on the PATH (Debian's package nutcracker has one)";
    if (found == null) {
      System.out.println("skipped: " + reason);
      return Assumptions.abort(reason);
    }
    return found;
  }

  /** Returns {@code This is nutcracker-0.5.0} without what follows. */
  private static String version(Path nutcracker) throws IOException {
    Process process =
        new ProcessBuilder(nutcracker.toString(), "-V").redirectErrorStream(true).start();
    try (InputStream in = process.getInputStream()) {
      return line(in).replace("This is ", "");
    }
  }
}
