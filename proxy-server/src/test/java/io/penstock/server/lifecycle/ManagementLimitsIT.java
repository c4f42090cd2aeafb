package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.it.DispatchMode;
import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@Tag(DispatchMode.ANY)
@ExtendWith(OutputCaptureExtension.class)
class ManagementLimitsIT {

  private static final int MANY = 200;

  private static final String SLOW_BODY =
      "POST /actuator/loggers/ROOT HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
          + "Content-Length: 1000\r\n\r\n{";
  private static final String UNREAD_BODY =
      "POST /actuator/health HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nab";
  private static final String SLOW_HEADERS =
      "GET /actuator/health/liveness HTTP/1.1\r\nHost: x\r\n";
  private static final String SLOW_READER = "GET /actuator/prometheus HTTP/1.1\r\nHost: x\r\n\r\n";

  @SuppressWarnings("NullAway.Init")
  private static RunningPenstock penstock;

  @SuppressWarnings("NullAway.Init")
  private static RunningPenstock shortTimeout;

  private final List<Socket> sockets = new ArrayList<>();

  @BeforeAll
  static void start() {
    penstock = start("1h");
    shortTimeout = start("100ms");
  }

  /**
   * Starts Penstock with a server address where nothing listens.
   *
   * @param timeout for a request
   */
  private static RunningPenstock start(String timeout) {
    return RunningPenstock.inFrontOf(
        "redis://127.0.0.1:1",
        "--server.tomcat.connection-timeout=" + timeout,
        "--management.endpoints.web.exposure.include=health,prometheus,loggers");
  }

  @AfterAll
  static void stop() {
    penstock.close();
    shortTimeout.close();
  }

  @AfterEach
  void closeSockets() throws IOException {
    for (Socket socket : sockets) {
      socket.close();
    }
  }

  private void open(RunningPenstock target, String bytes, int times) throws IOException {
    for (int i = 0; i < times; i++) {
      sockets.add(target.management().open(bytes));
    }
  }

  private static void assertProbesAreAnswered() {
    assertThat(penstock.status("health/liveness")).isEqualTo(200);
    assertThat(penstock.status("health/readiness")).isEqualTo(503);
  }

  @ParameterizedTest
  @ValueSource(strings = {SLOW_BODY, UNREAD_BODY, SLOW_HEADERS, SLOW_READER, "G", ""})
  void probesAreAnsweredUnderAnyOtherLoad(String bytes) throws IOException {
    open(penstock, bytes, MANY);
    assertProbesAreAnswered();
    open(penstock, bytes, MANY);
    assertProbesAreAnswered();
  }

  @Test
  void probesAreAnsweredUnderAllLoadsTogether() throws IOException {
    for (int i = 0; i < MANY; i++) {
      for (String bytes : List.of(SLOW_BODY, UNREAD_BODY, SLOW_HEADERS, SLOW_READER, "")) {
        open(penstock, bytes, 1);
      }
    }
    assertProbesAreAnswered();
  }

  @ParameterizedTest
  @ValueSource(strings = {SLOW_BODY, SLOW_HEADERS, "G", ""})
  void slowConnectionsAreClosedInTime(String bytes) throws IOException {
    open(shortTimeout, bytes, 4);
    for (Socket socket : sockets) {
      assertEnds(socket);
    }
  }

  private static void assertEnds(Socket socket) throws IOException {
    try {
      socket.getInputStream().readAllBytes();
    } catch (SocketException e) {
      assertThat(e).hasMessage("Connection reset");
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "GET /actuator/health/liveness; 200",
        "HEAD /actuator/health/liveness; 200",
        "GET /actuator/health/liveness?x=/../y; 200",
        "POST /actuator/health; 405",
        "DELETE /actuator/health/liveness; 405",
        "TRACE /actuator/health; 405",
        "GET /actuator/nothing; 404",
        "GET /actuator/health/../env; 400",
        "GET /actuator/health/%2e%2e/env; 400",
        "GET /actuator//health; 400",
        "GET /actuator/./health; 400",
        "GET /actuator/health%00; 400",
        "GET /../../etc/passwd; 400",
        "GET /actuator/health/x/y/z; 500",
        "GET /actuator/health?x=%zz; 400",
        "GET /actuator/prometheus?includedNames[]=x; 400",
        "GET http://x/actuator/health/../env; 400",
      })
  void eachRequestGetsItsStatus(String line, int status, CapturedOutput output) throws IOException {
    assertThat(penstock.management().exchange(line + " HTTP/1.1\r\nHost: x\r\n\r\n"))
        .startsWith("HTTP/1.1 " + status + " ")
        .doesNotContain("Exception");
    assertThat(output).doesNotContain("Exception", "ERROR");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        "GET /actuator/health/liveness; Content-Length: 3; 413",
        "POST /actuator/health; Content-Length: 100000; 413",
        "POST /actuator/health; Transfer-Encoding: chunked; 413",
        "POST /actuator/health; Content-Length: 10|Expect: 100-continue; 413",
        "POST /actuator/nothing; Content-Length: 10; 413",
        "PUT /actuator/loggers/ROOT; Content-Length: 10; 413",
        "POST /actuator/loggers/ROOT; Content-Length: 100000; 413",
        "POST /actuator/loggers/ROOT; Transfer-Encoding: chunked; 411",
        "POST /actuator/loggers/ROOT; Content-Length: 10|Content-Type: text/x; 415",
      })
  void aBodyThatNoEndpointReadsIsRejectedAtOnce(String line, String header, int status)
      throws IOException {
    String headers = "Host: x\r\n" + header.replace("|", "\r\n") + "\r\n\r\n";
    assertThat(penstock.management().exchange(line + " HTTP/1.1\r\n" + headers))
        .startsWith("HTTP/1.1 " + status + " ");
  }

  @Test
  void anEndpointThatTakesABodyGetsIt() throws IOException {
    String body = "{\"configuredLevel\":\"WARN\"}";
    String reply =
        penstock
            .management()
            .exchange(
                "POST /actuator/loggers/io.penstock.none HTTP/1.1\r\nHost: x\r\n"
                    + "Content-Type: application/json\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body);
    assertThat(reply).startsWith("HTTP/1.1 204 ");
    assertThat(penstock.get("loggers/io.penstock.none").body()).contains("WARN");
  }

  @Test
  void rejectionsAreCountedAndNotAllLogged(CapturedOutput output) throws IOException {
    double before = rejected("method");
    for (int i = 0; i < MANY; i++) {
      penstock.management().exchange("POST /actuator/health HTTP/1.0\r\n\r\n");
    }
    assertThat(rejected("method") - before).isEqualTo(MANY);
    assertThat(output.getAll().lines().filter(line -> line.contains("method not supported")))
        .hasSizeLessThan(MANY / 2);
    assertThat(output).doesNotContain("HttpRequestMethodNotSupportedException");
  }

  private static double rejected(String reason) {
    String series = "penstock_management_requests_rejected_total{reason=\"" + reason + "\"} ";
    return penstock
        .get("prometheus")
        .body()
        .lines()
        .filter(line -> line.startsWith(series))
        .mapToDouble(line -> Double.parseDouble(line.substring(series.length())))
        .findFirst()
        .orElseThrow();
  }
}
