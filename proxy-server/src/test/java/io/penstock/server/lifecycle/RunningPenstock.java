package io.penstock.server.lifecycle;

import io.penstock.server.PenstockApplication;
import io.penstock.testkit.wire.RespClient;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** The application in this JVM on free ports, with a RESP and an HTTP client. */
final class RunningPenstock implements AutoCloseable {

  private final ConfigurableApplicationContext application;
  private final ManagementPort management;
  private final InetSocketAddress address;

  private RunningPenstock(ConfigurableApplicationContext application) {
    this.application = application;
    this.management =
        new ManagementPort(
            application
                .getEnvironment()
                .getRequiredProperty("local.management.port", Integer.class));
    this.address =
        Objects.requireNonNull(application.getBean(ProxyLifecycle.class).address(), "address");
  }

  /** Starts it with a file of its own; the file says where it listens. */
  static RunningPenstock startWith(Path file, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.config.additional-location=file:" + file);
    all.add("--management.server.port=0");
    return run(all);
  }

  /** Starts it with these files instead of those in the usual places. */
  static RunningPenstock startAt(String location, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--spring.config.location=" + location);
    all.add("--management.server.port=0");
    return run(all);
  }

  static RunningPenstock start(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--management.server.port=0", "--penstock.bind=127.0.0.1"));
    if (all.stream().noneMatch(argument -> argument.startsWith("--penstock.port="))) {
      all.add("--penstock.port=0");
    }
    return run(all);
  }

  private static RunningPenstock run(List<String> arguments) {
    return new RunningPenstock(
        new SpringApplicationBuilder(PenstockApplication.class)
            .main(PenstockApplication.class)
            .run(arguments.toArray(String[]::new)));
  }

  static RunningPenstock inFrontOf(String resource, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--penstock.transpond.local.resource=" + resource);
    return start(all.toArray(String[]::new));
  }

  <T> T bean(Class<T> type) {
    return application.getBean(type);
  }

  RespClient connect() {
    return RespClient.open("127.0.0.1", address.getPort(), Duration.ofSeconds(10));
  }

  RespClient connect(SSLContext tls) {
    return RespClient.open("127.0.0.1", address.getPort(), tls);
  }

  ManagementPort management() {
    return management;
  }

  HttpResponse<String> get(String endpoint) {
    return management.get(endpoint);
  }

  int status(String endpoint) {
    return management.status(endpoint);
  }

  @Override
  public void close() {
    application.close();
    management.close();
  }
}
