package io.penstock.core.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Set;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * What the contexts of both sides have in common. BoringSSL is used where its library works on this
 * machine and does what is configured, otherwise the JDK (docs/adr/0037).
 */
final class Contexts {

  private static final String TLS_1_2 = "TLSv1.2";
  private static final String TLS_1_3 = "TLSv1.3";

  private static final Set<String> CIPHERS_OF_TLS_1_3 =
      Set.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256");

  private Contexts() {}

  private static SslProvider provider(TlsMaterial material) {
    return OpenSsl.isAvailable() && !selectsOfTls13(material)
        ? SslProvider.OPENSSL
        : SslProvider.JDK;
  }

  /** Returns whether cipher suites of TLS 1.3 are excluded: BoringSSL always has all of them. */
  private static boolean selectsOfTls13(TlsMaterial material) {
    boolean hasTls13 = material.protocols().isEmpty() || material.protocols().contains(TLS_1_3);
    return hasTls13
        && !material.ciphers().isEmpty()
        && !material.ciphers().containsAll(CIPHERS_OF_TLS_1_3);
  }

  /** Sets what does not depend on the side. Rejects what neither provider would report. */
  static SslContextBuilder common(SslContextBuilder builder, TlsMaterial material)
      throws SSLException {
    builder.sslProvider(provider(material));
    if (!material.protocols().isEmpty()) {
      for (String version : material.protocols()) {
        if (!version.equals(TLS_1_2) && !version.equals(TLS_1_3)) {
          throw new SSLException(
              version + " is not supported; " + TLS_1_2 + " and " + TLS_1_3 + " are");
        }
      }
      builder.protocols(material.protocols());
    } else {
      builder.protocols(TLS_1_3, TLS_1_2);
    }
    if (!material.ciphers().isEmpty()) {
      rejectUnknown(material);
      builder.ciphers(material.ciphers());
    }
    return builder.trustManager(material.trusted());
  }

  private static void rejectUnknown(TlsMaterial material) throws SSLException {
    for (String cipher : material.ciphers()) {
      String[] supported =
          SupportedCipherSuiteFilter.INSTANCE.filterCipherSuites(
              List.of(cipher), List.of(), supportedCiphers(material));
      if (supported.length == 0) {
        throw new SSLException("the cipher suite " + cipher + " is not supported");
      }
    }
  }

  private static Set<String> supportedCiphers(TlsMaterial material) throws SSLException {
    if (provider(material) == SslProvider.OPENSSL) {
      return OpenSsl.availableJavaCipherSuites();
    }
    try {
      return Set.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
    } catch (NoSuchAlgorithmException e) {
      throw new SSLException(e);
    }
  }
}
