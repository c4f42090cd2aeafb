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
      Map.ofEntries(
          Map.entry("bind", "penstock.bind"),
          Map.entry("port", "penstock.port"),
          Map.entry("unixsocket", "penstock.path"),
          Map.entry("unixsocketperm", "penstock.mode"),
          Map.entry("timeout", "penstock.client-timeout.idle"),
          Map.entry("tcp-keepalive", "penstock.tcp-keepalive"),
          Map.entry("maxclients", "penstock.max-clients"),
          Map.entry("proto-max-bulk-len", "penstock.proto-max-bulk-len"),
          Map.entry("client-output-buffer-limit", "penstock.client-output-buffer-limit"),
          Map.entry("maxmemory-clients", "penstock.maxmemory-clients"),
          Map.entry("cluster-enabled", "penstock.cluster-facade.enabled"),
          Map.entry("requirepass", "penstock.password"));

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
