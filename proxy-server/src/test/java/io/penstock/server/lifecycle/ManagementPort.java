package io.penstock.server.lifecycle;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** An HTTP client for the management port of an application. */
final class ManagementPort implements AutoCloseable {

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;

  ManagementPort(int port) {
    this.port = port;
  }

  HttpResponse<String> get(String endpoint) {
    return send(request(endpoint));
  }

  /** Sends a POST without a body; {@code headers} are names and values by turns. */
  HttpResponse<String> post(String endpoint, String... headers) {
    HttpRequest.Builder request = request(endpoint).POST(BodyPublishers.noBody());
    return send(headers.length == 0 ? request : request.headers(headers));
  }

  private HttpRequest.Builder request(String endpoint) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/actuator/" + endpoint));
  }

  private HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return http.send(request.build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  int status(String endpoint) {
    return get(endpoint).statusCode();
  }

  /** Sends the bytes on a new connection, which stays open. */
  Socket open(String bytes) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(20_000);
    socket.getOutputStream().write(bytes.getBytes(UTF_8));
    return socket;
  }

  /** Sends the bytes on a new connection and returns everything until it is closed. */
  String exchange(String bytes) throws IOException {
    try (Socket socket = open(bytes)) {
      return new String(socket.getInputStream().readAllBytes(), UTF_8);
    }
  }

  @Override
  public void close() {
    http.close();
  }
}
