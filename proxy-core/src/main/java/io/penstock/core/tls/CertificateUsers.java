package io.penstock.core.tls;

import java.security.cert.Certificate;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import org.jspecify.annotations.Nullable;

/**
 * As which users certificates authenticate their clients. The first rule that matches a certificate
 * decides. Immutable.
 */
public final class CertificateUsers {

  /** No certificate authenticates its client. */
  public static final CertificateUsers NONE = new CertificateUsers(List.of());

  /** The names in a certificate that a rule looks at. */
  public enum Field {
    /** The most specific common name of the subject. */
    CN(-1),
    DNS(2),
    /** For example a SPIFFE ID. */
    URI(6);

    private final int alternativeName; // its kind, as X.509 numbers them

    Field(int alternativeName) {
      this.alternativeName = alternativeName;
    }
  }

  /**
   * Certificates of one user, or of the users that they name.
   *
   * @param pattern of names: {@code *} stands for any characters, also none
   * @param user null for the user with the name that matches
   */
  public record Rule(Field field, String pattern, @Nullable String user) {}

  /** Longest name of a user that is shown to clients. */
  private static final int LONGEST = 256;

  private final List<Rule> rules;
  private final List<Pattern> patterns;

  public CertificateUsers(List<Rule> rules) {
    this.rules = List.copyOf(rules);
    this.patterns = rules.stream().map(rule -> pattern(rule.pattern())).toList();
  }

  private static Pattern pattern(String text) {
    return Pattern.compile(
        Stream.of(text.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
  }

  public List<Rule> rules() {
    return rules;
  }

  public boolean isEmpty() {
    return rules.isEmpty();
  }

  /** Returns the user that the peer's certificate names; null if there is none. */
  @Nullable String user(SSLSession session) {
    try {
      return isEmpty() ? null : user(session.getPeerCertificates()[0]);
    } catch (SSLPeerUnverifiedException e) {
      return null; // the client presented none
    }
  }

  @Nullable String user(Certificate certificate) {
    if (!(certificate instanceof X509Certificate verified)) {
      return null;
    }
    for (int i = 0; i < rules.size(); i++) {
      Rule rule = rules.get(i);
      for (String name : names(verified, rule.field())) {
        if (isUsable(name) && patterns.get(i).matcher(name).matches()) {
          return rule.user() == null ? name : rule.user();
        }
      }
    }
    return null;
  }

  private static List<String> names(X509Certificate certificate, Field field) {
    if (field == Field.CN) {
      String name = CertificateName.of(certificate.getSubjectX500Principal());
      return name == null ? List.of() : List.of(name);
    }
    try {
      Collection<List<?>> all = certificate.getSubjectAlternativeNames();
      List<String> names = new ArrayList<>();
      for (List<?> each : all == null ? List.<List<?>>of() : all) {
        if (each.get(0).equals(field.alternativeName) && each.get(1) instanceof String name) {
          names.add(name);
        }
      }
      return names;
    } catch (CertificateParsingException e) {
      return List.of();
    }
  }

  /** A name with spaces or control characters would break the lines of CLIENT LIST. */
  static boolean isUsable(String name) {
    return !name.isEmpty()
        && name.length() <= LONGEST
        && name.chars().allMatch(c -> c > ' ' && c < 0x7f);
  }

  /** Returns whether a certificate may name a user. */
  public boolean mayName(String user) {
    for (int i = 0; i < rules.size(); i++) {
      String named = rules.get(i).user();
      if (named == null ? patterns.get(i).matcher(user).matches() : named.equals(user)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof CertificateUsers users && users.rules.equals(rules);
  }

  @Override
  public int hashCode() {
    return rules.hashCode();
  }
}
