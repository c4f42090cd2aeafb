package io.penstock.server.mapping;

import io.penstock.core.tcp.TcpServer;
import io.penstock.core.upstream.Endpoint;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads one server of a TCP upstream, as nginx writes it: an address, and parameters such as {@code
 * weight=2}. Names may have {@code -} or {@code _}.
 */
final class TcpServerText {

  private static final int MOST = 65_535;
  private static final int MOST_PORT = 65_535;
  private static final Pattern TIME = Pattern.compile("(\\d{1,9})(ms|s|m|h|d|w|M|y)?");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1),
          "d", Duration.ofDays(1),
          "w", Duration.ofDays(7),
          "M", Duration.ofDays(30),
          "y", ChronoUnit.DAYS.getDuration().multipliedBy(365));
  private static final String PARAMETERS =
      "write weight=, max-conns=, max-fails=, fail-timeout=, slow-start=, backup or down";

  private final Set<String> names = new HashSet<>();
  private int weight = 1;
  private int maxConnections;
  private int maxFails = 1;
  private Duration failTimeout = TcpServer.FAIL_TIMEOUT;
  private Duration slowStart = Duration.ZERO;
  private boolean backup;
  private boolean down;

  private TcpServerText() {}

  /** A text that is no server. */
  static final class InvalidServerException extends Exception {

    private static final long serialVersionUID = 1L;

    private final String reason;
    private final String fix;

    InvalidServerException(String reason, String fix) {
      super(reason);
      this.reason = reason;
      this.fix = fix;
    }

    String reason() {
      return reason;
    }

    String fix() {
      return fix;
    }
  }

  static TcpServer parse(String text) throws InvalidServerException {
    String[] words = text.strip().split("\\s+");
    var parameters = new TcpServerText();
    for (int i = 1; i < words.length; i++) {
      parameters.read(words[i]);
    }
    return new TcpServer(
        address(words[0]),
        words[0],
        parameters.weight,
        parameters.maxConnections,
        parameters.maxFails,
        parameters.failTimeout,
        parameters.slowStart,
        parameters.backup,
        parameters.down);
  }

  private static Endpoint address(String text) throws InvalidServerException {
    String path = text.startsWith("unix:") ? text.substring("unix:".length()) : text;
    if (path.startsWith("/") || path.startsWith("@")) {
      return Endpoint.ofUnixSocket(path);
    }
    int colon = text.lastIndexOf(':');
    String host = colon < 0 ? "" : text.substring(0, colon);
    if (host.startsWith("[") && host.endsWith("]")) {
      host = host.substring(1, host.length() - 1);
    } else if (host.indexOf(':') >= 0) {
      host = ""; // an IPv6 address without brackets
    }
    String port = text.substring(colon + 1);
    if (host.isEmpty() || !port.matches("\\d{1,5}") || !isPort(Integer.parseInt(port))) {
      throw new InvalidServerException(
          "'" + text + "' is no address",
          "write host and port, such as 10.0.0.1:6379 or [fd00::1]:6379, or unix:/path");
    }
    return new Endpoint(host, Integer.parseInt(port));
  }

  private static boolean isPort(int number) {
    return number > 0 && number <= MOST_PORT;
  }

  private void read(String word) throws InvalidServerException {
    int equals = word.indexOf('=');
    String name = (equals < 0 ? word : word.substring(0, equals)).replace('_', '-');
    String value = equals < 0 ? "" : word.substring(equals + 1);
    if (!names.add(name)) {
      throw new InvalidServerException(name + " is given twice", "remove one of them");
    }
    if (equals < 0) {
      readFlag(name);
    } else {
      readValue(name, value);
    }
  }

  private void readFlag(String name) throws InvalidServerException {
    switch (name) {
      case "backup" -> backup = true;
      case "down" -> down = true;
      default -> throw unknown(name);
    }
  }

  private void readValue(String name, String value) throws InvalidServerException {
    switch (name) {
      case "weight" -> weight = number(name, value, 1);
      case "max-conns" -> maxConnections = number(name, value, 0);
      case "max-fails" -> maxFails = number(name, value, 0);
      case "fail-timeout" -> failTimeout = time(name, value);
      case "slow-start" -> slowStart = time(name, value);
      default -> throw unknown(name);
    }
  }

  private static InvalidServerException unknown(String name) {
    return switch (name) {
      case "resolve", "service" ->
          new InvalidServerException(
              name + " has no meaning here: a name is looked up at each connect", "remove it");
      default -> new InvalidServerException("there is no parameter " + name, PARAMETERS);
    };
  }

  private static int number(String name, String value, int least) throws InvalidServerException {
    int number = value.matches("\\d{1,6}") ? Integer.parseInt(value) : -1;
    if (number < least || number > MOST) {
      throw new InvalidServerException(
          name + " is not between " + least + " and " + MOST, "write a number of that range");
    }
    return number;
  }

  /** Reads numbers with units one after the other; a number without a unit is of seconds. */
  private static Duration time(String name, String value) throws InvalidServerException {
    Matcher parts = TIME.matcher(value);
    Duration sum = Duration.ZERO;
    int end = 0;
    while (parts.find() && parts.start() == end) {
      String unit = parts.group(2) == null ? "s" : parts.group(2);
      sum =
          sum.plus(
              UNITS.getOrDefault(unit, Duration.ZERO).multipliedBy(Long.parseLong(parts.group(1))));
      end = parts.end();
    }
    if (value.isEmpty() || end != value.length()) {
      throw new InvalidServerException(
          name + " is not a time", "write a number with a unit, such as 10s or 1m30s");
    }
    return sum;
  }
}
