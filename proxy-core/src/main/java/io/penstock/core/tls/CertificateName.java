package io.penstock.core.tls;

import java.security.Principal;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/** The common name (CN) in the subject of the peer's certificate. */
final class CertificateName {

  /** Longest name of a user that is shown to clients. */
  private static final int LONGEST = 256;

  private CertificateName() {}

  /** Returns the name of a verified certificate; null if there is none that can be a user. */
  static @Nullable String of(SSLSession session) {
    try {
      return of(session.getPeerPrincipal());
    } catch (SSLPeerUnverifiedException e) {
      return null; // the client presented none
    }
  }

  /**
   * Returns the most specific common name. A name with spaces or control characters is none: it
   * would break the lines of CLIENT LIST.
   */
  static @Nullable String of(Principal subject) {
    try {
      var rdns = new LdapName(subject.getName()).getRdns();
      for (int i = rdns.size() - 1; i >= 0; i--) {
        Rdn rdn = rdns.get(i);
        if (rdn.getType().equalsIgnoreCase("CN") && rdn.getValue() instanceof String name) {
          return isUsable(name) ? name : null;
        }
      }
    } catch (InvalidNameException e) {
      return null;
    }
    return null;
  }

  private static boolean isUsable(String name) {
    return !name.isEmpty()
        && name.length() <= LONGEST
        && name.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }
}
