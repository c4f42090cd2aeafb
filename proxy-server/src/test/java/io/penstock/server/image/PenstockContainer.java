package io.penstock.server.image;

import static org.testcontainers.containers.wait.strategy.Wait.forHttp;

import com.github.dockerjava.api.command.InspectContainerResponse.ContainerState;
import com.github.dockerjava.api.model.HostConfig;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Consumer;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.Network;
import org.testcontainers.utility.DockerImageName;
import redis.clients.jedis.Jedis;

/** A container of Penstock's image. Its two ports are published on free ports of this machine. */
final class PenstockContainer extends GenericContainer<PenstockContainer> {

  private static final int PORT = 6380;
  private static final int MANAGEMENT_PORT = 9180;

  /**
   * @param health the probe that must succeed before {@link #start} returns: {@code readiness} or
   *     {@code liveness}
   */
  PenstockContainer(String image, Network network, String health) {
    super(DockerImageName.parse(image));
    withNetwork(network);
    withExposedPorts(PORT, MANAGEMENT_PORT);
    waitingFor(
        forHttp("/actuator/health/" + health)
            .forPort(MANAGEMENT_PORT)
            .withStartupTimeout(Duration.ofMinutes(1)));
  }

  PenstockContainer withHostConfig(Consumer<HostConfig> change) {
    return withCreateContainerCmdModifier(
        create -> change.accept(Objects.requireNonNull(create.getHostConfig())));
  }

  Jedis connect() {
    return new Jedis(getHost(), getMappedPort(PORT), 20_000);
  }

  /** Returns the HTTP status of a page of the management port. */
  int status(String page) throws IOException, InterruptedException {
    URI uri =
        URI.create(
            "http://" + getHost() + ":" + getMappedPort(MANAGEMENT_PORT) + "/actuator/" + page);
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding()).statusCode();
    }
  }

  ContainerState state() {
    return getDockerClient().inspectContainerCmd(getContainerId()).exec().getState();
  }

  /**
   * Returns the result of the engine's latest {@code HEALTHCHECK} runs, such as {@code healthy}.
   */
  String health() {
    return state().getHealth().getStatus();
  }

  /** Returns the address that its connections to nodes come from. */
  String address() {
    return RedisContainers.address(this);
  }

  /** Stops it like {@code docker stop}. Returns when the container has ended. */
  void stopGracefully() {
    getDockerClient().stopContainerCmd(getContainerId()).withTimeout(35).exec();
  }
}
