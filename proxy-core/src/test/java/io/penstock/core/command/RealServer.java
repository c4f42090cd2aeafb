package io.penstock.core.command;

import io.penstock.core.wire.TestServer;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Assumptions;

/** A {@link TestServer} on a free port, with one connection to it that keeps replies as bytes. */
final class RealServer implements AutoCloseable {

  private static final Pattern VERSION = Pattern.compile("v=(\\d+)\\.");
  private static final int TIMEOUT_MILLIS = 10_000;

  private final Process process;
  private final Path folder;
  private final int port;
  private final Socket socket;
  private final DataInputStream in;

  private RealServer(Process process, Path folder, int port) throws IOException {
    this.process = process;
    this.folder = folder;
    this.port = port;
    socket = Awaitility.await().ignoreExceptions().until(() -> connect(port), Socket::isConnected);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
  }

  private static Socket connect(int port) throws IOException {
    return new Socket(InetAddress.getLoopbackAddress(), port);
  }

  /**
   * Skips the test, saying why, if the server does not run here or is older than Redis 7.
   *
   * @param options further options of the command line
   */
  static RealServer start(String... options) {
    String executable = TestServer.executable();
    int version = version(executable);
    if (version < 7) {
      String reason =
          executable
              + (version == 0 ? " does not run as a server" : " is older than 7: " + version);
      System.out.println("Skipped: " + reason);
      Assumptions.abort(reason);
    }
    try {
      int port = freePort();
      Path folder = Files.createTempDirectory("penstock-command");
      List<String> call = new ArrayList<>(List.of(executable, "--port", "" + port));
      call.addAll(List.of("--bind", "127.0.0.1", "--save", ""));
      call.addAll(List.of(options));
      Process process =
          new ProcessBuilder(call)
              .directory(folder.toFile())
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroy));
      return new RealServer(process, folder, port);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static int freePort() throws IOException {
    try (ServerSocket free = new ServerSocket(0)) {
      return free.getLocalPort();
    }
  }

  private static int version(String executable) {
    try {
      Process process = new ProcessBuilder(executable, "--version").start();
      String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      Matcher version = VERSION.matcher(text);
      return version.find() ? Integer.parseInt(version.group(1)) : 0;
    } catch (IOException e) {
      return 0;
    }
  }

  int port() {
    return port;
  }

  /** The bytes of one reply, one character a byte. */
  String ask(String... arguments) {
    return ask(List.of(List.of(arguments))).getFirst();
  }

  /** The bytes of the replies to pipelined requests. */
  List<String> ask(List<List<String>> requests) {
    try {
      ByteArrayOutputStream wire = new ByteArrayOutputStream();
      for (List<String> request : requests) {
        wire.writeBytes(Requests.wire(request));
      }
      socket.getOutputStream().write(wire.toByteArray());
      List<String> replies = new ArrayList<>();
      for (int i = 0; i < requests.size(); i++) {
        StringBuilder reply = new StringBuilder();
        copyReply(reply);
        replies.add(reply.toString());
      }
      return replies;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void copyReply(StringBuilder into) throws IOException {
    int start = into.length();
    do {
      into.append((char) in.readUnsignedByte());
    } while (into.charAt(into.length() - 1) != '\n');
    String number = into.substring(start + 1, into.length() - 2);
    switch (into.charAt(start)) {
      case '$' -> {
        int length = Integer.parseInt(number);
        byte[] bulk = new byte[length < 0 ? 0 : length + 2];
        in.readFully(bulk);
        into.append(new String(bulk, StandardCharsets.ISO_8859_1));
      }
      case '*', '~' -> copyReplies(Integer.parseInt(number), into);
      case '%' -> copyReplies(Integer.parseInt(number) * 2, into);
      default -> {}
    }
  }

  private void copyReplies(int count, StringBuilder into) throws IOException {
    for (int i = 0; i < count; i++) {
      copyReply(into);
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
      process.destroy();
      if (!process.waitFor(5, TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor();
      }
      try (Stream<Path> files = Files.list(folder)) {
        for (Path file : files.toList()) {
          Files.delete(file);
        }
      }
      Files.deleteIfExists(folder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
