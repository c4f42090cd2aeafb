package io.penstock.server.it;

import io.netty.pkitesting.X509Bundle;
import io.penstock.core.tls.CertificateUsers;
import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.ListenerTls.ClientAuth;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.tls.TlsBundle;
import io.penstock.core.tls.TlsMaterial;
import io.penstock.testkit.tls.TestAuthority;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** An authority, and what it issues for the TLS of tests. */
public final class TlsOfTests {

  /** Issues all certificates that are valid. */
  public static final TestAuthority AUTHORITY = TestAuthority.create("authority");

  private TlsOfTests() {}

  /** Returns the content of a bundle with this identity that trusts {@link #AUTHORITY}. */
  public static TlsMaterial material(X509Bundle identity) {
    try {
      return new TlsMaterial(
          identity.toKeyManagerFactory(), AUTHORITY.trust(), List.of(), List.of());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a bundle with an identity for this machine's addresses. */
  public static TlsBundle bundle(String commonName) {
    return new TlsBundle(commonName, material(AUTHORITY.issue(commonName)));
  }

  /** Returns the TLS of a listener whose clients need no certificate. */
  public static ListenerTls listener() {
    return listener(bundle("listener"), ClientAuth.NONE);
  }

  static ListenerTls listener(TlsBundle bundle, ClientAuth clientAuth, String... users) {
    return new ListenerTls(
        bundle, new ListenerTls.Settings(clientAuth, named(users), Duration.ofSeconds(10)));
  }

  private static CertificateUsers named(String... users) {
    return new CertificateUsers(
        Stream.of(users)
            .map(user -> new CertificateUsers.Rule(CertificateUsers.Field.CN, user, null))
            .toList());
  }

  /** Returns the TLS of nodes whose certificates {@link #AUTHORITY} issues for their hosts. */
  public static NodeTls nodes() {
    return new NodeTls(bundle("penstock"), Verify.FULL, null);
  }
}
