package io.penstock.core.answer;

import io.penstock.core.resp.RequestFrame;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Checks {@code CONFIG SET}, which goes to the nodes. Parameters that {@code CONFIG GET} answers
 * from Penstock's own configuration are rejected: the client would get OK and still read the old
 * value.
 */
public final class ConfigSet {

  /** The configuration keys of Penstock's own parameters. */
  private static final Map<String, String> KEYS =
      Map.of(
          "bind", "penstock.bind",
          "port", "penstock.port",
          "timeout", "penstock.client-timeout.idle",
          "tcp-keepalive", "penstock.tcp-keepalive",
          "maxclients", "penstock.max-clients",
          "proto-max-bulk-len", "penstock.proto-max-bulk-len",
          "client-output-buffer-limit", "penstock.client-output-buffer-limit",
          "maxmemory-clients", "penstock.maxmemory-clients",
          "cluster-enabled", "penstock.cluster-facade.enabled",
          "requirepass", "penstock.password");

  private ConfigSet() {}

  /**
   * Returns the error line for a request that would set a parameter of Penstock's own, otherwise
   * null.
   *
   * @param own Penstock's own parameters, with their values
   */
  public static @Nullable String rejection(Map<String, String> own, RequestFrame frame) {
    for (int i = 2; i < frame.argc(); i += 2) {
      String name = ConfigGet.plain(frame.text(i));
      String key = KEYS.get(name);
      if (key != null) {
        return failed(name, "it is a setting of this proxy: set " + key + " in its configuration");
      }
      if (own.containsKey(name) && !ConfigGet.isSecret(name)) {
        return failed(name, "it is a fixed value of this proxy and cannot be set");
      }
    }
    return null;
  }

  private static String failed(String name, String why) {
    return "ERR CONFIG SET failed (possibly related to argument '" + name + "') - " + why;
  }
}
