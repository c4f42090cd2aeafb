package io.penstock.testkit.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import io.penstock.testkit.cluster.TlsFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.UnaryOperator;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * A certificate authority for as long as this JVM runs. Its files are in a temporary folder, which
 * is removed at the end of the JVM. Safe from any thread.
 */
public final class TestAuthority {

  private static final Duration LIFETIME = Duration.ofDays(1);

  private final X509Bundle bundle;
  private final Path folder;
  private final Path file;

  private TestAuthority(X509Bundle bundle) throws IOException {
    this.bundle = bundle;
    this.folder = Files.createTempDirectory("penstock-tls-");
    this.file = write("ca.pem", bundle.getCertificatePEM());
    folder.toFile().deleteOnExit(); // after the files in it, which are registered later
  }

  /** Creates an authority with a key of its own. */
  public static TestAuthority create(String name) {
    try {
      return new TestAuthority(
          valid(new CertificateBuilder())
              .ecp256()
              .subject("CN=" + name)
              .setIsCertificateAuthority(true)
              .buildSelfSigned());
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static CertificateBuilder valid(CertificateBuilder builder) {
    return builder.notBefore(Instant.now().minus(LIFETIME)).notAfter(Instant.now().plus(LIFETIME));
  }

  /** Issues a certificate for the hosts {@code localhost}, 127.0.0.1 and ::1. */
  public X509Bundle issue(String commonName) {
    return issue(
        commonName,
        builder ->
            builder.addSanDnsName("localhost").addSanIpAddress("127.0.0.1").addSanIpAddress("::1"));
  }

  /** Issues a certificate with what {@code more} adds, such as other hosts. */
  public X509Bundle issue(String commonName, UnaryOperator<CertificateBuilder> more) {
    try {
      return more.apply(valid(new CertificateBuilder()).ecp256().subject("CN=" + commonName))
          .buildIssuedBy(bundle);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Issues a certificate that ended an hour ago. */
  public X509Bundle issueExpired(String commonName) {
    return issue(
        commonName,
        builder -> builder.addSanDnsName("localhost").notAfter(Instant.now().minusSeconds(3_600)));
  }

  /** Writes a certificate of this authority, its key, and the authority's to files. */
  public TlsFiles files(X509Bundle issued) {
    String name = Long.toHexString(System.nanoTime());
    return new TlsFiles(
        write(name + ".pem", issued.getCertificatePathPEM()),
        write(name + ".key", issued.getPrivateKeyPEM()),
        file);
  }

  private Path write(String name, String text) {
    try {
      Path written = Files.writeString(folder.resolve(name), text);
      written.toFile().deleteOnExit();
      return written;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the file of the authority's certificate. */
  public Path file() {
    return file;
  }

  /** Returns trust in what this authority issues. */
  public TrustManagerFactory trust() {
    try {
      return bundle.toTrustManagerFactory();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** Returns a context of clients without a certificate that trust this authority. */
  public SSLContext clients() {
    return context(null);
  }

  /**
   * Returns a context of clients that trust this authority, and present a certificate to every
   * server.
   */
  public SSLContext clients(X509Bundle identity) {
    return context(identity);
  }

  private static KeyManager[] keys(X509Bundle identity) throws Exception {
    KeyManager[] all = identity.toKeyManagerFactory().getKeyManagers();
    return new KeyManager[] {new OnlyKey((X509ExtendedKeyManager) all[0])};
  }

  private SSLContext context(@Nullable X509Bundle identity) {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(identity == null ? null : keys(identity), trust().getTrustManagers(), null);
      return context;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
