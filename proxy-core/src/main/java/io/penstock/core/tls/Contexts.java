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
 * machine, otherwise the JDK (docs/adr/0037).
 */
final class Contexts {

  private static final Set<String> VERSIONS = Set.of("TLSv1.2", "TLSv1.3");

  private Contexts() {}

  static SslProvider provider() {
    return OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;
  }

  /** Sets what does not depend on the side. Rejects what neither provider would report. */
  static SslContextBuilder common(SslContextBuilder builder, TlsMaterial material)
      throws SSLException {
    builder.sslProvider(provider());
    if (!material.protocols().isEmpty()) {
      for (String version : material.protocols()) {
        if (!VERSIONS.contains(version)) {
          throw new SSLException(version + " is not supported; TLSv1.2 and TLSv1.3 are");
        }
      }
      builder.protocols(material.protocols());
    } else {
      builder.protocols("TLSv1.3", "TLSv1.2");
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
              List.of(cipher), List.of(), supportedCiphers());
      if (supported.length == 0) {
        throw new SSLException("the cipher suite " + cipher + " is not supported");
      }
    }
  }

  private static Set<String> supportedCiphers() throws SSLException {
    if (provider() == SslProvider.OPENSSL) {
      return OpenSsl.availableJavaCipherSuites();
    }
    try {
      return Set.of(SSLContext.getDefault().getSupportedSSLParameters().getCipherSuites());
    } catch (NoSuchAlgorithmException e) {
      throw new SSLException(e);
    }
  }
}
