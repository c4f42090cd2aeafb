package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.server.start.StartConfiguration;
import io.penstock.testkit.cluster.TlsFiles;
import io.penstock.testkit.tls.TestAuthority;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;

/** TLS, from a file to the core's settings. */
class TlsTest {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");
  private static final TlsFiles FILES = AUTHORITY.files(AUTHORITY.issue("penstock"));

  private static final String BUNDLES =
      """
      spring.ssl.bundle.pem:
        edge:
          keystore: { certificate: "%1$s", private-key: "%2$s" }
          truststore: { certificate: "%3$s" }
        trust-only:
          truststore: { certificate: "%3$s" }
        key-only:
          keystore: { certificate: "%1$s", private-key: "%2$s" }
        missing:
          keystore: { certificate: "%1$s.none", private-key: "%2$s" }
        key-missing:
          keystore: { certificate: "%1$s", private-key: "%2$s.none" }
        folder:
          keystore: { certificate: "/", private-key: "%2$s" }
        unreadable:
          keystore: { certificate: "%1$s", private-key: "/proc/self/mem" }
        no-key:
          keystore: { certificate: "%1$s", private-key: "%1$s" }
        no-certificate:
          keystore: { certificate: "%2$s", private-key: "%2$s" }
        no-trust:
          keystore: { certificate: "%1$s", private-key: "%2$s" }
          truststore: { certificate: "%2$s" }
        verifies:
          keystore: { certificate: "%1$s", private-key: "%2$s", verify-keys: true }
        new:
          keystore: { certificate: "%1$s", private-key: "%2$s" }
          options: { enabled-protocols: TLSv9 }
      spring.ssl.bundle.jks.no-store.keystore: { location: /none.p12, password: secret }
      """
          .formatted(FILES.certificate(), FILES.key(), FILES.authority());

  private static ProxySettings settings(String yaml) throws IOException {
    var environment = new StandardEnvironment();
    var resource = new ByteArrayResource((BUNDLES + yaml).getBytes(StandardCharsets.UTF_8));
    new YamlPropertySourceLoader()
        .load("file", resource)
        .forEach(environment.getPropertySources()::addFirst);
    return StartConfiguration.read(environment).settings();
  }

  private static ConfigurationFault fault(String yaml) {
    return Faults.of(() -> settings(yaml));
  }

  private static ListenerTls.Settings tlsOfListener(ProxySettings settings) {
    ListenerTls tls = settings.listeners().getFirst().listen().arrivals().tls();
    assertThat(tls).isNotNull();
    return tls.settings();
  }

  @Test
  void listenersAndUpstreamsHaveTlsOfTheirOwn() throws IOException {
    ProxySettings settings =
        settings(
            """
            penstock:
              listeners:
                secure:
                  port: 6390
                  upstream: orders
                  tls: { bundle: edge, client-auth: need, users: [{ cn: a }, { dns: "*.b", user: b }], handshake-timeout: 3s }
                plain: { port: 6391, upstream: near }
              upstreams:
                orders: { resource: "rediss-cluster://app:pw@10.0.0.1:7000", tls: { bundle: trust-only } }
                near: "redis://10.0.0.2:6379"
                far: "rediss://10.0.0.3:6379"
                sentinels: { resource: "redis-sentinel://h:1/m?sentinelSSL=true", tls: { verify: ca } }
            """);

    assertThat(tlsOfListener(settings))
        .isEqualTo(
            new ListenerTls.Settings(
                ListenerTls.ClientAuth.NEED,
                new CertificateUsers(
                    List.of(
                        new CertificateUsers.Rule(CertificateUsers.Field.CN, "a", null),
                        new CertificateUsers.Rule(CertificateUsers.Field.DNS, "*.b", "b"))),
                Duration.ofSeconds(3)));
    assertThat(settings.listeners().get(1).listen().arrivals().tls()).isNull();
    assertThat(settings.respUpstreams())
        .extracting(upstream -> upstream.kind().access().transport().tls() != null)
        .containsExactly(true, false, true, false);
    var sentinels = (SentinelUpstreamSettings) settings.respUpstreams().getLast().kind();
    assertThat(sentinels.sentinelTls()).isNotNull();
  }

  @Test
  void keysOutsideDescribeTheDefaultListenerAndUpstream() throws IOException {
    ProxySettings settings =
        settings(
            """
            penstock:
              tls: { bundle: key-only }
              transpond.local: { resource: "rediss://localhost:1", tls: { bundle: edge } }
            """);

    assertThat(tlsOfListener(settings).clientAuth()).isEqualTo(ListenerTls.ClientAuth.NONE);
    assertThat(settings.respUpstreams().getFirst().kind().access().transport().tls()).isNotNull();
  }

  @Test
  void upstreamsHaveProxyProtocolOfTheirOwn() throws IOException {
    ProxySettings settings =
        settings(
            """
            penstock:
              proxy-protocol.from: [ 10.0.0.0/8 ]
              transpond.local: { resource: "redis://10.0.0.1:1", proxy-protocol: v1 }
              upstreams:
                near: "redis://10.0.0.2:6379"
                orders: { resource: "rediss-cluster://10.0.0.3:7000", proxy-protocol: V2 }
                sentinels: { resource: "redis-sentinel://h:1/m", proxy-protocol: v2 }
                cache:
                  proxy-protocol: v1
                  shards: { distribution: modula, servers: [ "rediss://10.0.0.4:1", near ] }
            """);

    assertThat(settings.respUpstreams())
        .extracting(upstream -> upstream.kind().access().transport().proxyProtocol())
        .containsExactly(
            HAProxyProtocolVersion.V1,
            null,
            HAProxyProtocolVersion.V2,
            HAProxyProtocolVersion.V2,
            HAProxyProtocolVersion.V1);
    assertThat(settings.respUpstreams().getLast().kind().parts())
        .extracting(shard -> shard.access().transport().proxyProtocol())
        .containsExactly(HAProxyProtocolVersion.V1, null);
  }

  @Test
  void aProxyProtocolWithoutEffectIsNamed() {
    ConfigurationFault fault =
        fault(
            """
            penstock:
              upstreams:
                near: "redis://10.0.0.2:6379"
                cache:
                  proxy-protocol: v1
                  shards: { distribution: modula, servers: [ near ] }
            """);

    assertThat(fault.key()).isEqualTo("penstock.upstreams.cache.proxy-protocol");
    assertThat(fault.reason()).contains("the shards of this upstream are other upstreams");
  }

  @Test
  void shardsHaveTheTlsOfTheirUpstream() throws IOException {
    ProxySettings settings =
        settings(
            """
            penstock:
              upstreams:
                cache:
                  tls: { bundle: trust-only }
                  shards:
                    distribution: ketama
                    servers: [ "rediss://10.0.0.1:1", "redis://10.0.0.2:1" ]
            """);

    assertThat(settings.respUpstreams().getFirst().kind().parts())
        .extracting(UpstreamSettings::access)
        .extracting(access -> access.transport().tls() != null)
        .containsExactly(true, false);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          tls: { bundle: none }         | tls.bundle      | there is no such bundle below spring.ssl.bundle
          tls: { bundle: trust-only }   | tls.bundle      | it has no private key and certificate
          tls: { bundle: missing }      | tls.bundle      | there is no file
          tls: { bundle: key-missing }  | tls.bundle      | there is no file
          tls: { bundle: folder }       | tls.bundle      | is a directory
          tls: { bundle: unreadable }   | tls.bundle      | /proc/self/mem cannot be read (IOException)
          tls: { bundle: no-key }       | tls.bundle      | has no private key in PEM that can be parsed
          tls: { bundle: no-certificate } | tls.bundle    | has no certificate in PEM that can be parsed
          tls: { bundle: no-trust }     | tls.bundle      | has no certificate in PEM that can be parsed
          tls: { bundle: no-store }     | tls.bundle      | there is no file /none.p12
          tls: { bundle: verifies }     | tls.bundle      | it has verify-keys
          tls: { bundle: new }          | tls.bundle      | TLSv9 is not supported; TLSv1.2 and TLSv1.3 are
          tls: { client-auth: need }    | tls.client-auth | this listener has no TLS
          tls: { bundle: edge, users: [{ cn: a }] } | tls.users[0].cn | clients present no certificate
          tls: { users: [{ cn: a }] }   | tls.users[0].cn | this listener has no TLS
          tls: { bundle: edge, client-auth: need, users: [{ user: a }] } | tls.users[0].user | it has no cn, dns or uri
          tls: { bundle: edge, client-auth: need, users: [{ cn: a, uri: b }] } | tls.users[0].cn | it has more than one of cn, dns and uri
          tls: { bundle: key-only, client-auth: need }  | tls.bundle | it has no certificates to trust, which client-auth needs
          tls: { bundle: edge, client-auth: must }      | tls.client-auth | must
          transpond.local.proxy-protocol: v3            | transpond.local.proxy-protocol | v3
          transpond.local.tls: { bundle: edge }         | transpond.local.tls.bundle | no URL of this upstream is with TLS
          """)
  void invalidKeysAreNamed(String yaml, String key, String reason) {
    ConfigurationFault fault =
        fault("penstock:\n  transpond.local.resource: redis://localhost:1\n  " + yaml + "\n");

    assertThat(fault.key()).isEqualTo("penstock." + key);
    assertThat(fault.reason() + fault.value()).contains(reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          missing        | create it, or correct the path
          folder         | write the path of a file in it
          unreadable     | let the user that Penstock runs as read the file
          no-key         | write a private key in PEM to the file; if it is encrypted, set private-key-password
          no-certificate | write certificates in PEM to the file
          verifies       | remove verify-keys; Penstock compares keys and certificates itself
          trust-only     | correct the keys of this bundle below spring.ssl.bundle
          """)
  void eachFaultOfABundleHasItsFix(String bundle, String fix) {
    assertThat(
            fault(
                    "penstock: { transpond.local.resource: redis://localhost:1, tls.bundle: %s }\n"
                        .formatted(bundle))
                .fix())
        .isEqualTo(fix);
    assertThat(
            fault(
                    "penstock.transpond.local: { resource: rediss://localhost:1, tls.bundle: %s }\n"
                        .formatted(bundle.equals("trust-only") ? "missing" : bundle))
                .fix())
        .isEqualTo(bundle.equals("trust-only") ? "create it, or correct the path" : fix);
  }

  @Test
  void tlsIsNotInheritedByNamedListeners() {
    ConfigurationFault fault =
        fault(
            """
            penstock:
              tls: { bundle: edge }
              transpond.local.resource: redis://localhost:1
              listeners.main.port: 6380
            """);

    assertThat(fault.key()).isEqualTo("penstock.tls.bundle");
    assertThat(fault.reason()).contains("describes the listener default");
  }
}
