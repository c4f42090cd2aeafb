package io.penstock.server.tls;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Collections;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.ssl.SslBundle;

/** Tells of the bundle's own certificates that are not valid now. They are used all the same. */
final class CertificateDates {

  private static final Logger LOG = LoggerFactory.getLogger(TlsConfiguration.class);

  private CertificateDates() {}

  /** Logs a line for each. */
  static void check(String bundle, SslBundle content) {
    KeyStore keys = content.getStores().getKeyStore();
    String alias = content.getKey().getAlias();
    if (keys == null) {
      return;
    }
    try {
      for (String each : Collections.list(keys.aliases())) {
        if (keys.isKeyEntry(each) && (alias == null || alias.equalsIgnoreCase(each))) {
          check(bundle, keys.getCertificateChain(each));
        }
      }
    } catch (KeyStoreException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static void check(String bundle, Certificate @Nullable [] chain) {
    Instant now = Instant.now();
    for (Certificate each : chain == null ? new Certificate[0] : chain) {
      if (!(each instanceof X509Certificate certificate)) {
        continue;
      }
      Instant begin = certificate.getNotBefore().toInstant();
      Instant end = certificate.getNotAfter().toInstant();
      String subject = certificate.getSubjectX500Principal().getName();
      if (now.isAfter(end)) {
        LOG.warn(
            "The certificate {} of SSL bundle {} expired at {}: peers that verify it close the"
                + " connection",
            subject,
            bundle,
            end);
      } else if (now.isBefore(begin)) {
        LOG.warn(
            "The certificate {} of SSL bundle {} is not valid before {}: peers that verify it"
                + " close the connection",
            subject,
            bundle,
            begin);
      }
    }
  }
}
