package io.penstock.core.tls;

import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * The content of a bundle at one time. Immutable.
 *
 * @param keys the own private key and certificates, or null
 * @param trusted the certificates that the peer's must lead to; null for those of the JDK
 * @param protocols enabled versions, such as {@code TLSv1.3}; empty for TLS 1.2 and 1.3
 * @param ciphers enabled cipher suites by their IANA names; empty for the defaults
 */
public record TlsMaterial(
    @Nullable KeyManagerFactory keys,
    @Nullable TrustManagerFactory trusted,
    List<String> protocols,
    List<String> ciphers) {

  /** Without keys, with the certificates that the JDK trusts. */
  public static final TlsMaterial DEFAULTS = new TlsMaterial(null, null, List.of(), List.of());

  public TlsMaterial {
    protocols = List.copyOf(protocols);
    ciphers = List.copyOf(ciphers);
  }
}
