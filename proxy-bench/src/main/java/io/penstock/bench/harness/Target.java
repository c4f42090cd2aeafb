package io.penstock.bench.harness;

import io.penstock.testkit.cluster.EmbeddedCluster;

/** What a load is sent to. */
public sealed interface Target {

  /** The name in tables and charts. */
  String name();

  /** The process that is measured; 0 if there is none or it is unknown. */
  long pid();

  /** One address: a proxy, or a server. */
  record Address(String name, String host, int port, long pid) implements Target {

    private static final String FORM = " is not name=host:port or name=host:port:pid";

    /**
     * From {@code name=host:port} or {@code name=host:port:pid}.
     *
     * @throws IllegalArgumentException when the text is neither
     */
    public static Address parse(String text) {
      int equals = text.indexOf('=');
      String[] parts = text.substring(equals + 1).split(":", -1);
      if (equals < 1 || parts.length < 2 || parts.length > 3 || parts[0].isEmpty()) {
        throw new IllegalArgumentException(text + FORM);
      }
      try {
        long pid = parts.length == 3 ? Long.parseLong(parts[2]) : 0;
        return new Address(text.substring(0, equals), parts[0], Integer.parseInt(parts[1]), pid);
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(text + FORM, e);
      }
    }
  }

  /** The cluster itself, for clients that speak to clusters, without a proxy. */
  record Direct(String name, EmbeddedCluster cluster) implements Target {

    @Override
    public long pid() {
      return 0;
    }
  }
}
