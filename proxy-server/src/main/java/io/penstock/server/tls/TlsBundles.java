package io.penstock.server.tls;

import io.penstock.core.tls.TlsBundle;
import io.penstock.core.tls.TlsMaterial;
import java.security.KeyStore;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * The bundles below {@code spring.ssl.bundle}. Each is read when it is asked for first, and is the
 * same object from then on. Used by the main thread at start, and read afterwards.
 */
public final class TlsBundles {

  private final SslProperties properties;
  private final Map<String, TlsBundle> used = new LinkedHashMap<>();

  private TlsBundles(SslProperties properties) {
    this.properties = properties;
  }

  /** None. */
  public static TlsBundles none() {
    return new TlsBundles(new SslProperties());
  }

  /**
   * Returns those of the configuration.
   *
   * @throws BindException if a key below {@code spring.ssl} is invalid
   */
  public static TlsBundles of(ConfigurableEnvironment environment) {
    return new TlsBundles(Binder.get(environment).bindOrCreate("spring.ssl", SslProperties.class));
  }

  /** Returns the names of all bundles that the configuration has. */
  public Set<String> names() {
    Set<String> names = new TreeSet<>(properties.getBundle().getPem().keySet());
    names.addAll(properties.getBundle().getJks().keySet());
    return names;
  }

  /** Returns the names of the bundles that were asked for. */
  public Set<String> usedNames() {
    return Set.copyOf(used.keySet());
  }

  /** Returns the bundles that were asked for, by name. */
  Map<String, TlsBundle> used() {
    return used;
  }

  /**
   * Returns a bundle.
   *
   * @throws IllegalArgumentException if there is none of this name, or it cannot be read; the
   *     message is the reason
   */
  public TlsBundle get(String name) {
    TlsBundle known = used.get(name);
    if (known != null) {
      return known;
    }
    TlsBundle read = new TlsBundle(name, material(read(name)));
    used.put(name, read);
    return read;
  }

  private SslBundle read(String name) {
    PemSslBundleProperties pem = properties.getBundle().getPem().get(name);
    JksSslBundleProperties jks = properties.getBundle().getJks().get(name);
    try {
      if (pem != null) {
        return PropertiesSslBundle.get(pem);
      }
      if (jks != null) {
        return PropertiesSslBundle.get(jks);
      }
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
    throw new IllegalArgumentException("there is no such bundle below spring.ssl.bundle");
  }

  /**
   * Returns the content of a bundle.
   *
   * @throws IllegalArgumentException if it cannot be read; the message is the reason
   */
  static TlsMaterial material(SslBundle bundle) {
    try {
      KeyStore keys = bundle.getStores().getKeyStore();
      if (keys != null) {
        KeyPairs.verify(keys, bundle.getKey().getAlias(), keyPassword(bundle));
      }
      boolean trusted = bundle.getStores().getTrustStore() != null;
      return new TlsMaterial(
          keys != null ? bundle.getManagers().getKeyManagerFactory() : null,
          trusted ? bundle.getManagers().getTrustManagerFactory() : null,
          list(bundle.getOptions().getEnabledProtocols()),
          list(bundle.getOptions().getCiphers()));
    } catch (RuntimeException e) {
      throw unreadable(e);
    }
  }

  private static char @Nullable [] keyPassword(SslBundle bundle) {
    String own = bundle.getKey().getPassword();
    String password = own == null ? bundle.getStores().getKeyStorePassword() : own;
    return password == null ? null : password.toCharArray();
  }

  private static List<String> list(String @Nullable [] values) {
    return values == null ? List.of() : Arrays.asList(values);
  }

  private static IllegalArgumentException unreadable(RuntimeException failure) {
    Throwable root = failure;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return new IllegalArgumentException(
        message == null || message.isBlank() ? root.getClass().getSimpleName() : message, failure);
  }
}
