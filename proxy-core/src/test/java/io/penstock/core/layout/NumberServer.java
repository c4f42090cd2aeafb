package io.penstock.core.layout;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Answers each request with its own number, so that a client of a proxy learns which server the
 * proxy chose. It is no Redis: it keeps nothing.
 */
final class NumberServer implements AutoCloseable {

  private final ServerSocketChannel channel;
  private final byte[] reply;
  private final Thread acceptor;

  private NumberServer(ServerSocketChannel channel, int number) {
    this.channel = channel;
    this.reply = "$2\r\n%02d\r\n".formatted(number).getBytes(US_ASCII);
    this.acceptor = Thread.ofVirtual().unstarted(this::accept);
  }

  /**
   * Listens.
   *
   * @param address {@code host:port}, or the path of a Unix socket
   * @param number 0 to 99
   */
  static NumberServer start(String address, int number) throws IOException {
    NumberServer server = new NumberServer(listen(address), number);
    server.acceptor.start();
    return server;
  }

  private static ServerSocketChannel listen(String address) throws IOException {
    if (address.startsWith("/")) {
      Files.deleteIfExists(Path.of(address));
      return ServerSocketChannel.open(StandardProtocolFamily.UNIX)
          .bind(UnixDomainSocketAddress.of(address));
    }
    int colon = address.lastIndexOf(':');
    SocketAddress socket =
        new InetSocketAddress(
            InetAddress.getByName(address.substring(0, colon)),
            Integer.parseInt(address.substring(colon + 1)));
    return ServerSocketChannel.open()
        .setOption(StandardSocketOptions.SO_REUSEADDR, true)
        .bind(socket);
  }

  private void accept() {
    try {
      while (true) {
        SocketChannel client = channel.accept();
        Thread.ofVirtual().start(() -> serve(client));
      }
    } catch (ClosedChannelException _) {
      // close() was called
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void serve(SocketChannel client) {
    try (client) {
      InputStream in = new BufferedInputStream(Channels.newInputStream(client), 1 << 16);
      OutputStream out = new BufferedOutputStream(Channels.newOutputStream(client), 1 << 16);
      while (true) {
        int arguments = header(in);
        if (arguments < 0) {
          return;
        }
        for (int i = 0; i < arguments; i++) {
          in.skipNBytes(header(in) + 2);
        }
        out.write(reply);
        if (in.available() == 0) {
          out.flush();
        }
      }
    } catch (IOException _) {
      // the proxy closed the connection
    }
  }

  /** Reads {@code *2} or {@code $30} and returns the number, or -1 at the end. */
  private static int header(InputStream in) throws IOException {
    if (in.read() < 0) {
      return -1;
    }
    int number = 0;
    for (int b = in.read(); b != '\r'; b = in.read()) {
      number = 10 * number + b - '0';
    }
    in.skipNBytes(1);
    return number;
  }

  /** Returns when the address is free again. */
  @Override
  public void close() throws IOException {
    channel.close();
    try {
      acceptor.join();
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    }
  }
}
