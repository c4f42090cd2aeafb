package io.penstock.core.tls;

import java.security.Principal;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import org.jspecify.annotations.Nullable;

/** The common name (CN) in the subject of the peer's certificate. */
final class CertificateName {

  private CertificateName() {}

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
          return CertificateUsers.isUsable(name) ? name : null;
        }
      }
    } catch (InvalidNameException e) {
      return null;
    }
    return null;
  }
}
