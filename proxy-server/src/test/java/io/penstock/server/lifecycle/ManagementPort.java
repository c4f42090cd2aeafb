package io.penstock.server.lifecycle;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;

/** An application's HTTP. */
final class ManagementPort implements AutoCloseable {

  private final HttpClient http = HttpClient.newHttpClient();
  private final int port;

  ManagementPort(int port) {
    this.port = port;
  }

  HttpResponse<String> get(String endpoint) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + port + "/actuator/" + endpoint);
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
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

  @Override
  public void close() {
    http.close();
  }
}
