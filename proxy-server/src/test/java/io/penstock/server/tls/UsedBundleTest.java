package io.penstock.server.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.testkit.tls.TestAuthority;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

class UsedBundleTest {

  private static final TestAuthority AUTHORITY = TestAuthority.create("authority");

  private static SslBundle files(String certificates, String key) {
    PemSslStoreDetails details = new PemSslStoreDetails(null, certificates, key);
    return SslBundle.of(new PemSslStoreBundle(PemSslStore.load(details), null));
  }

  private static SslBundle files(X509Bundle identity) {
    return files(identity.getCertificatePathPEM(), identity.getPrivateKeyPEM());
  }

  private static UsedBundle edge() {
    UsedBundle edge = UsedBundle.of("edge", files(AUTHORITY.issue("first")), null);
    var unused =
        new ListenerTls(
            edge.prepared(),
            new ListenerTls.Settings(
                ClientAuth.NONE, CertificateUsers.NONE, Duration.ofSeconds(1)));
    assertThat(unused.settings().clientAuth()).isEqualTo(ClientAuth.NONE);
    return edge;
  }

  @Test
  void usableFilesAreApplied() {
    UsedBundle edge = edge();

    assertThat(edge.next(files(AUTHORITY.issue("second")))).isNotSameAs(edge);
    assertThat(edge.next(edge.content())).isSameAs(edge);
  }

  @Test
  void filesThatAreNoCertificateAreRejected() {
    X509Bundle identity = AUTHORITY.issue("second");

    assertThatThrownBy(() ->
            edge()
                .next(
                    files(
                        "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n",
                        identity.getPrivateKeyPEM())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static UsedBundle used(SslBundle content) {
    return UsedBundle.of("edge", content, null);
  }

  @ParameterizedTest
  @EnumSource(
      value = CertificateBuilder.Algorithm.class,
      names = {"ecp256", "ecp384", "rsa2048", "ed25519"})
  void aCertificateOfAnotherKeyIsRejected(CertificateBuilder.Algorithm algorithm) {
    X509Bundle one = AUTHORITY.issue("one", builder -> builder.algorithm(algorithm));
    X509Bundle other = AUTHORITY.issue("other", builder -> builder.algorithm(algorithm));

    assertThatThrownBy(() -> used(files(one.getCertificatePathPEM(), other.getPrivateKeyPEM())))
        .hasMessage("the private key is not that of the certificate");
    assertThatThrownBy(() ->
            used(files(one.getCertificatePathPEM(), AUTHORITY.issue("ec").getPrivateKeyPEM())))
        .hasMessage("the private key is not that of the certificate");
    assertThatNoException().isThrownBy(() -> used(files(one)));
  }
}
