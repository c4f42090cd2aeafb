package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.testkit.cluster.SearchPath;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class TryItTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private @Nullable Path authority;

  private String line(String host, String... programs) throws IOException {
    for (String program : programs) {
      Path file = Files.createFile(folder.resolve(program));
      assertThat(file.toFile().setExecutable(true)).isTrue();
    }
    return TryIt.line(
        new InetSocketAddress(host, 6380), authority, new SearchPath(List.of(folder.toString())));
  }

  @Test
  void usesTheServersCliIfInstalled() throws IOException {
    assertThat(line("0.0.0.0", "bash", "valkey-cli"))
        .isEqualTo("valkey-cli -p 6380 set greeting hello");
    assertThat(line("127.0.0.1", "redis-cli")).isEqualTo("redis-cli -p 6380 set greeting hello");
    assertThat(line("10.0.0.5")).isEqualTo("redis-cli -h 10.0.0.5 -p 6380 set greeting hello");
  }

  @Test
  void usesAShellIfNoCliIsInstalled() throws IOException {
    String requests = "set greeting hello\\r\\nget greeting\\r\\nquit\\r\\n";

    assertThat(line("0.0.0.0")).isEqualTo("printf '" + requests + "' | nc 127.0.0.1 6380");
    assertThat(line("10.0.0.5", "bash"))
        .isEqualTo(
            "bash -c 'exec 3<>/dev/tcp/10.0.0.5/6380; printf \"" + requests + "\" >&3; cat <&3'");
  }

  @Test
  void aUnixSocketNeedsNoHost() throws IOException {
    var path = new SearchPath(List.of(folder.toString()));

    assertThat(TryIt.line("/run/penstock.sock", path))
        .isEqualTo(
            "printf 'set greeting hello\\r\\nget greeting\\r\\nquit\\r\\n' | nc -U"
                + " /run/penstock.sock");
    assertThat(line("127.0.0.1", "redis-cli")).isNotEmpty();
    assertThat(TryIt.line("/run/penstock.sock", path))
        .isEqualTo("redis-cli -s /run/penstock.sock set greeting hello");
  }

  @Test
  void trustsTheCertificateOfADemoWithTls() throws IOException {
    authority = Path.of("/tmp/demo.crt");

    assertThat(line("0.0.0.0", "bash"))
        .isEqualTo(
            "printf 'set greeting hello\\r\\nget greeting\\r\\nquit\\r\\n' | openssl s_client -quiet"
                + " -CAfile /tmp/demo.crt -verify_return_error -connect 127.0.0.1:6380");
    assertThat(line("0.0.0.0", "redis-cli"))
        .isEqualTo("redis-cli -p 6380 --tls --cacert /tmp/demo.crt set greeting hello");
  }
}
