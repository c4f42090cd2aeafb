package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.server.it.DispatchMode;
import io.penstock.testkit.cluster.FreePorts;
import io.penstock.testkit.wire.RespClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The packaged {@code penstock.jar}, whose bean definitions were generated when it was built. */
@Tag(DispatchMode.ANY)
class PackagedIT {

  private static final String AOT_START = "Starting AOT-processed PenstockApplication";

  private final int port = FreePorts.take("127.0.0.1");
  private final ManagementPort management = new ManagementPort(port);

  @AfterEach
  void releasePort() {
    management.close();
    FreePorts.giveBack(port);
  }

  @Test
  void theJarHasOnlyTheTestKitClassesOfTheDemo() throws IOException {
    try (var jar = new JarFile("target/penstock.jar")) {
      assertThat(jar.stream().map(JarEntry::getName))
          .contains(
              "io/penstock/testkit/cluster/EmbeddedCluster.class",
              "io/penstock/testkit/cluster/watchdog.sh")
          .noneMatch(name -> name.startsWith("io/penstock/testkit/network/"))
          .noneMatch(name -> name.startsWith("io/penstock/testkit/tls/"))
          .noneMatch(name -> name.startsWith("io/netty/pkitesting/"))
          .noneMatch(name -> name.startsWith("org/bouncycastle/"))
          .noneMatch(name -> name.startsWith("redis-server"));
    }
  }

  @Test
  void exposedEndpointsAreConfiguredAtStart() throws IOException {
    try (PenstockProcess penstock = start()) {
      assertThat(penstock.log()).anyMatch(line -> line.contains(AOT_START));
      await().until(() -> management.status("health/liveness") == 200);
      assertThat(management.status("threaddump")).isEqualTo(404);
      assertThat(
              management.exchange(
                  "POST /actuator/health HTTP/1.1\r\nHost: x\r\n"
                      + "Content-Length: 100000\r\n\r\nab"))
          .startsWith("HTTP/1.1 413 ");
    }
    try (PenstockProcess _ =
        start("--management.endpoints.web.exposure.include=threaddump,heapdump")) {
      assertThat(management.status("threaddump")).isEqualTo(200);
      assertThat(management.status("heapdump"))
          .as("access to it is none by default")
          .isEqualTo(404);
      assertThat(management.status("health/liveness")).isEqualTo(404);
    }
  }

  @Test
  void beansAreEvaluatedAtStartWithAotDisabled() throws IOException {
    try (PenstockProcess penstock =
        start(
            List.of("-Dspring.aot.enabled=false"), "--management.health.diskspace.enabled=true")) {
      assertThat(penstock.log()).noneMatch(line -> line.contains(AOT_START));
      assertThat(management.get("health").body()).contains("diskSpace");
      try (RespClient client = penstock.connect()) {
        assertThat(client.text("PING")).isEqualTo("PONG");
      }
    }
  }

  @Test
  void jvmPropertiesAreSetUnlessTheUserHasSetThem() throws IOException {
    try (PenstockProcess _ =
        start(
            List.of("-Dio.netty.leakDetection.level=simple"),
            "--management.endpoints.web.exposure.include=env",
            "--management.endpoint.env.show-values=always")) {
      assertThat(property("io.netty.iouring.pollAddMultishotEnabled")).contains("\"false\"");
      assertThat(property("io.lettuce.core.iouring")).contains("\"false\"");
      assertThat(property("io.netty.leakDetection.level")).contains("\"simple\"");
    }
  }

  private String property(String name) {
    return management.get("env/" + name).body();
  }

  private PenstockProcess start(String... arguments) throws IOException {
    return start(List.of(), arguments);
  }

  private PenstockProcess start(List<String> flags, String... arguments) throws IOException {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--management.server.port=" + port);
    all.add("--penstock.transpond.local.resource=redis://127.0.0.1:1");
    List<String> jvm = new ArrayList<>(flags);
    jvm.add(PenstockProcess.QUICK_START);
    return PenstockProcess.start(
        PenstockProcess.command(jvm.toArray(String[]::new)), all.toArray(String[]::new));
  }
}
