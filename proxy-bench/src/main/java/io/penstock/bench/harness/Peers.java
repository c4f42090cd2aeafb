package io.penstock.bench.harness;

import io.penstock.testkit.cluster.ServerProcess;
import io.penstock.testkit.cluster.WatchedProcess;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Other proxies, as Debian packages them: one process with one worker each. */
final class Peers {

  private static final Pattern MODULES = Pattern.compile("--modules-path=(\\S+)");

  private Peers() {}

  /** twemproxy, which divides keys among servers. */
  static WatchedProcess nutcracker(Path executable, List<ServerProcess> servers) {
    return WatchedProcess.start(
        "nutcracker",
        (folder, port) -> {
          Map<String, String> values = new HashMap<>(Map.of("listen", "127.0.0.1:" + port));
          for (int i = 0; i < servers.size(); i++) {
            values.put("server_" + (i + 1), "127.0.0.1:" + servers.get(i).port());
          }
          Path file = folder.resolve("nutcracker.yml");
          Files.writeString(file, Template.fill("nutcracker.yml", values));
          String statistics = Integer.toString(port + PenstockSetup.SECOND_PORT);
          return List.of(
              executable.toString(), "-c", file.toString(), "-s", statistics, "-a", "127.0.0.1");
        });
  }

  /** nginx, which forwards bytes to one server without reading them. */
  static WatchedProcess nginx(Path executable, String loadModule, ServerProcess server) {
    return WatchedProcess.start(
        "nginx",
        (folder, port) -> {
          Map<String, String> values = new HashMap<>();
          values.put("load_module", loadModule);
          values.put("folder", folder.toString());
          values.put("listen", "127.0.0.1:" + port);
          values.put("server", "127.0.0.1:" + server.port());
          Path file = folder.resolve("nginx.conf");
          Files.writeString(file, Template.fill("nginx.conf", values));
          return List.of(executable.toString(), "-c", file.toString(), "-p", folder.toString());
        });
  }

  /**
   * The line that loads nginx's stream module: empty if it is built in, absent if there is none.
   */
  static Optional<String> streamModule(Path nginx) {
    String built = Programs.output(nginx.toString(), "-V");
    if (built.matches("(?s).*--with-stream(\\s.*|$)")) {
      return Optional.of("");
    }
    Matcher modules = MODULES.matcher(built);
    if (modules.find()) {
      Path module = Path.of(modules.group(1), "ngx_stream_module.so");
      Path beside = nginx.resolveSibling("../lib/nginx/modules/ngx_stream_module.so").normalize();
      for (Path candidate : List.of(module, beside)) {
        if (Files.exists(candidate)) {
          return Optional.of("load_module " + candidate + ";");
        }
      }
    }
    return Optional.empty();
  }
}
