package io.penstock.server.lifecycle;

import io.penstock.server.PenstockApplication;
import io.penstock.server.demo.RespConnection;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The application on free ports, and the two ways in: RESP and HTTP. */
final class RunningPenstock implements AutoCloseable {

  private final ConfigurableApplicationContext application;
  private final HttpClient http = HttpClient.newHttpClient();
  private final int managementPort;
  private final InetSocketAddress address;

  private RunningPenstock(ConfigurableApplicationContext application) {
    this.application = application;
    this.managementPort =
        application.getEnvironment().getRequiredProperty("local.management.port", Integer.class);
    this.address =
        Objects.requireNonNull(application.getBean(ProxyLifecycle.class).address(), "address");
  }

  static RunningPenstock start(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--management.server.port=0", "--penstock.bind=127.0.0.1"));
    if (all.stream().noneMatch(argument -> argument.startsWith("--penstock.port="))) {
      all.add("--penstock.port=0");
    }
    return new RunningPenstock(
        new SpringApplicationBuilder(PenstockApplication.class)
            .main(PenstockApplication.class)
            .run(all.toArray(String[]::new)));
  }

  static RunningPenstock inFrontOf(String resource, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--penstock.transpond.local.resource=" + resource);
    return start(all.toArray(String[]::new));
  }

  <T> T bean(Class<T> type) {
    return application.getBean(type);
  }

  RespConnection connect() {
    return RespConnection.open("127.0.0.1", address.getPort(), Duration.ofSeconds(10));
  }

  HttpResponse<String> get(String endpoint) {
    try {
      URI uri = URI.create("http://127.0.0.1:" + managementPort + "/actuator/" + endpoint);
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
    application.close();
    http.close();
  }
}
