package io.penstock.testkit.network;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;

/**
 * A listening socket of 127.0.0.1 that the test answers by hand, byte by byte. Everything a node
 * would send is a literal in the test. One thread at a time; owns its peers.
 */
public final class ScriptedNode implements AutoCloseable {

  /** The last part of the handshake of a connection of Penstock: its name. */
  public static final String NAMING = "*3\r\n$6\r\nCLIENT\r\n$7\r\nSETNAME\r\n$8\r\npenstock\r\n";

  private static final int PATIENCE_MILLIS = 10_000;

  private final List<Peer> peers = new ArrayList<>();
  private ServerSocket server;

  public ScriptedNode() {
    server = listen(0);
  }

  private static ServerSocket listen(int port) {
    try {
      var socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      socket.setSoTimeout(PATIENCE_MILLIS);
      return socket;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public int port() {
    return server.getLocalPort();
  }

  /** Waits for the next connection and answers its handshake, which is only its name. */
  public Peer accept() {
    return acceptUnanswered().expect(NAMING).send("+OK\r\n");
  }

  /** Waits for the next connection. */
  public Peer acceptUnanswered() {
    try {
      var peer = new Peer(server.accept());
      peers.add(peer);
      return peer;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops listening: attempts to connect are refused. */
  public void stopListening() {
    try {
      server.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Listens again on the same port. */
  public void listenAgain() {
    server = listen(server.getLocalPort());
  }

  @Override
  public void close() {
    stopListening();
    peers.forEach(Peer::close);
  }
}
