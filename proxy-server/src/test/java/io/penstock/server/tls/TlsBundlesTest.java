package io.penstock.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBufAllocator;
import io.netty.pkitesting.X509Bundle;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.testkit.tls.TestAuthority;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;

class TlsBundlesTest {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");
  private static final X509Bundle FIRST = AUTHORITY.issue("first");
  private static final X509Bundle SECOND = AUTHORITY.issue("second");

  private static ConfigurableEnvironment environment(X509Bundle edge, boolean trust) {
    Map<String, Object> keys = new HashMap<>();
    String bundle = "spring.ssl.bundle.pem.edge.";
    keys.put(bundle + "keystore.certificate", edge.getCertificatePathPEM());
    keys.put(bundle + "keystore.private-key", edge.getPrivateKeyPEM());
    if (trust) {
      keys.put(bundle + "truststore.certificate", AUTHORITY.file().toUri().toString());
    }
    return environment(keys);
  }

  private static ConfigurableEnvironment environment(Map<String, Object> keys) {
    var environment = new StandardEnvironment();
    environment.getPropertySources().addFirst(new MapPropertySource("keys", keys));
    return environment;
  }

  private static SslBundle content(X509Bundle edge, boolean trust) {
    var pem = new PemSslBundleProperties();
    if (trust) {
      pem.getTruststore().setCertificate(AUTHORITY.file().toUri().toString());
    }
    pem.getKeystore().setCertificate(edge.getCertificatePathPEM());
    pem.getKeystore().setPrivateKey(edge.getPrivateKeyPEM());
    return PropertiesSslBundle.get(pem);
  }

  private static ListenerTls listener(TlsBundles bundles, ClientAuth clientAuth) {
    return bundles.listenerTls(
        "edge", new ListenerTls.Settings(clientAuth, CertificateUsers.NONE, Duration.ofSeconds(5)));
  }

  /** Returns the name in the certificate that a new connection is presented with. */
  private static String presented(ListenerTls listener) {
    SSLEngine server = listener.newHandler(ByteBufAllocator.DEFAULT).engine();
    SSLEngine client = AUTHORITY.clients(AUTHORITY.issue("client")).createSSLEngine();
    client.setUseClientMode(true);
    ByteBuffer toServer = ByteBuffer.allocate(1 << 16);
    ByteBuffer toClient = ByteBuffer.allocate(1 << 16);
    try {
      for (int i = 0; i < 100; i++) {
        step(client, toServer, toClient);
        step(server, toClient, toServer);
        if (client.getSession().getProtocol().startsWith("TLS")) {
          var certificate = (X509Certificate) client.getSession().getPeerCertificates()[0];
          return certificate.getSubjectX500Principal().getName();
        }
      }
      throw new IllegalStateException("the handshake did not end");
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  private static void step(SSLEngine engine, ByteBuffer out, ByteBuffer in) throws SSLException {
    ByteBuffer none = ByteBuffer.allocate(1 << 16);
    in.flip();
    while (in.hasRemaining() && engine.unwrap(in, none).bytesConsumed() > 0) {
      runTasks(engine);
    }
    in.compact();
    SSLEngineResult result;
    do {
      runTasks(engine);
      result = engine.wrap(ByteBuffer.allocate(0), out);
    } while (result.bytesProduced() > 0);
  }

  private static void runTasks(SSLEngine engine) {
    for (Runnable task = engine.getDelegatedTask();
        task != null;
        task = engine.getDelegatedTask()) {
      task.run();
    }
  }

  @Test
  void aBundleMayBeAKeystore(@TempDir Path folder) throws Exception {
    Path file = folder.resolve("edge.p12");
    TlsBundles bundles = TlsBundles.of(keystore(file, FIRST, "changeit"));
    ListenerTls used = listener(bundles, ClientAuth.NONE);
    assertThat(presented(used)).isEqualTo("CN=first");

    TlsBundles next = bundles.successor(keystore(file, SECOND, "changed"));
    listener(next, ClientAuth.NONE);
    next.commit();

    assertThat(presented(used)).isEqualTo("CN=second");
    assertThatThrownBy(() -> listener(TlsBundles.of(keys(file, "wrong")), ClientAuth.NONE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("keystore password was incorrect");
  }

  private static ConfigurableEnvironment keystore(Path file, X509Bundle edge, String password)
      throws Exception {
    try (OutputStream out = Files.newOutputStream(file)) {
      edge.toKeyStore(password.toCharArray()).store(out, password.toCharArray());
    }
    return keys(file, password);
  }

  private static ConfigurableEnvironment keys(Path file, String password) {
    String bundle = "spring.ssl.bundle.jks.edge.keystore.";
    return environment(
        Map.of(
            bundle + "location",
            file.toUri().toString(),
            bundle + "type",
            "PKCS12",
            bundle + "password",
            password));
  }

  @Test
  void contentOfAConfigurationThatIsNotUsedHasNoEffect() {
    TlsBundles inForce = TlsBundles.of(environment(FIRST, false));
    ListenerTls used = listener(inForce, ClientAuth.NONE);

    TlsBundles refused = inForce.successor(environment(SECOND, true));
    ListenerTls tried = listener(refused, ClientAuth.NEED);

    assertThat(refused.changed()).containsExactly("edge");
    assertThat(presented(tried)).isEqualTo("CN=second");
    assertThat(presented(used)).isEqualTo("CN=first");

    TlsBundles next = inForce.successor(environment(FIRST, false));
    assertThat(listener(next, ClientAuth.NONE)).isSameAs(used);
    assertThat(next.changed()).isEmpty();
  }

  @Test
  void contentIsUsedEverywhereWhenItsConfigurationIsInForce() {
    TlsBundles inForce = TlsBundles.of(environment(FIRST, true));
    ListenerTls before = listener(inForce, ClientAuth.NONE);
    TlsBundles next = inForce.successor(environment(SECOND, true));
    ListenerTls same = listener(next, ClientAuth.NONE);
    ListenerTls other = listener(next, ClientAuth.NEED);

    next.commit();

    assertThat(same).isEqualTo(before);
    for (ListenerTls each : new ListenerTls[] {before, same, other}) {
      assertThat(presented(each)).isEqualTo("CN=second");
    }
    next.replace("edge", content(FIRST, true));
    for (ListenerTls each : new ListenerTls[] {before, same, other}) {
      assertThat(presented(each)).isEqualTo("CN=first");
    }
  }

  /** What is refused has no say in which content can be used. */
  @Test
  void aConfigurationThatIsNotUsedPreventsNoContent() {
    TlsBundles inForce = TlsBundles.of(environment(FIRST, false));
    ListenerTls used = listener(inForce, ClientAuth.NONE);
    TlsBundles refused = inForce.successor(environment(SECOND, true));
    ListenerTls tried = listener(refused, ClientAuth.NEED); // which needs certificates to trust

    assertThat(inForce.replace("edge", content(SECOND, false))).isTrue();

    assertThat(presented(used)).isEqualTo("CN=second");
    assertThat(tried.settings().clientAuth()).isEqualTo(ClientAuth.NEED);
  }

  @Test
  void contentThatCannotBeUsedChangesNothing() {
    TlsBundles inForce = TlsBundles.of(environment(FIRST, true));
    ListenerTls used = listener(inForce, ClientAuth.NEED);
    Supplier<Boolean> withoutTrust = () -> inForce.replace("edge", content(SECOND, false));

    assertThatThrownBy(withoutTrust::get)
        .hasMessageContaining("it has no certificates to trust, which client-auth needs");
    assertThat(presented(used)).isEqualTo("CN=first");
    assertThat(inForce.successor(environment(FIRST, true)).changed()).isEmpty();
  }
}
