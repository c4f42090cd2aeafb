package io.penstock.server.tls;

import io.penstock.core.tls.ListenerTls;
import io.penstock.core.tls.NodeTls;
import io.penstock.core.tls.NodeTls.Verify;
import io.penstock.core.tls.TlsBundle;
import io.penstock.core.tls.TlsMaterial;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
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
 * same object from then on, also after a reload. One thread at a time changes them.
 */
public final class TlsBundles {

  private final SslProperties properties;
  private final TlsBundle defaults;
  private final Map<String, UsedBundle> previous;
  private final Map<String, UsedBundle> used = new ConcurrentHashMap<>();

  /**
   * What uses bundles. It has contexts, so it is the same object as long as it and the content are
   * the same.
   */
  private final Map<Object, Object> users = new HashMap<>();

  private final Map<Object, Object> earlierUsers;

  private TlsBundles(
      SslProperties properties,
      TlsBundle defaults,
      Map<String, UsedBundle> previous,
      Map<Object, Object> earlierUsers) {
    this.properties = properties;
    this.defaults = defaults;
    this.previous = previous;
    this.earlierUsers = earlierUsers;
  }

  private record OfNodes(TlsBundle bundle, Verify verify, @Nullable String serverName) {}

  private record OfListener(TlsBundle bundle, ListenerTls.Settings settings) {}

  /** None. */
  public static TlsBundles none() {
    return first(new SslProperties());
  }

  /**
   * Returns those of the configuration.
   *
   * @throws BindException if a key below {@code spring.ssl} is invalid
   */
  public static TlsBundles of(ConfigurableEnvironment environment) {
    return first(properties(environment));
  }

  private static TlsBundles first(SslProperties properties) {
    return new TlsBundles(properties, new TlsBundle("", TlsMaterial.DEFAULTS), Map.of(), Map.of());
  }

  private static SslProperties properties(ConfigurableEnvironment environment) {
    return Binder.get(environment).bindOrCreate("spring.ssl", SslProperties.class);
  }

  /**
   * Returns those of a configuration that is to replace this one. A bundle of the same name is the
   * same object. What it contains now is used by what the other configuration adds, and everywhere
   * after {@link #commit}.
   *
   * @throws BindException if a key below {@code spring.ssl} is invalid
   */
  public TlsBundles successor(ConfigurableEnvironment environment) {
    return new TlsBundles(properties(environment), defaults, Map.copyOf(used), Map.copyOf(users));
  }

  /** Lets all new connections use what the bundles contain: their configuration is in force. */
  void commit() {
    used.values().forEach(each -> each.prepared().commit());
  }

  /** Returns the names of the bundles that are new, or whose content is not what it was. */
  public Set<String> changed() {
    Set<String> changed = new TreeSet<>();
    used.forEach((name, now) -> {
      if (now != previous.get(name)) {
        changed.add(name);
      }
    });
    return changed;
  }

  /** Returns whether a bundle was not used before. */
  boolean isNew(String name) {
    return !previous.containsKey(name);
  }

  /** Returns the names of all bundles that the configuration has. */
  public Set<String> names() {
    Set<String> names = new TreeSet<>(properties.getBundle().getPem().keySet());
    names.addAll(properties.getBundle().getJks().keySet());
    return names;
  }

  /** Returns the names of the bundles that were asked for. */
  public Set<String> used() {
    return Set.copyOf(used.keySet());
  }

  /** Returns what a bundle that was asked for contains. */
  SslBundle content(String name) {
    return Objects.requireNonNull(used.get(name)).content();
  }

  /** Returns whether a bundle is read from where another configuration reads it from. */
  boolean isReadAsBy(TlsBundles other, String name) {
    return BundleFiles.of(
            properties.getBundle().getPem().get(name), properties.getBundle().getJks().get(name))
        .equals(
            BundleFiles.of(
                other.properties.getBundle().getPem().get(name),
                other.properties.getBundle().getJks().get(name)));
  }

  /**
   * Returns the TLS of connections to nodes.
   *
   * @param name of the bundle, or null for what the JDK trusts
   * @throws IllegalArgumentException if it cannot be used; the message is the reason
   */
  public NodeTls nodeTls(@Nullable String name, Verify verify, @Nullable String serverName) {
    TlsBundle.Content content = name == null ? defaults.content() : get(name).prepared();
    return (NodeTls)
        user(
            content,
            new OfNodes(content.bundle(), verify, serverName),
            () -> new NodeTls(content, verify, serverName));
  }

  /**
   * Returns the TLS of a listener.
   *
   * @throws IllegalArgumentException if it cannot be used; the message is the reason
   */
  public ListenerTls listenerTls(String name, ListenerTls.Settings settings) {
    TlsBundle.Content content = get(name).prepared();
    return (ListenerTls)
        user(
            content,
            new OfListener(content.bundle(), settings),
            () -> new ListenerTls(content, settings));
  }

  private Object user(TlsBundle.Content content, Object key, Supplier<Object> factory) {
    boolean same = content == content.bundle().content();
    Object known = users.getOrDefault(key, same ? earlierUsers.get(key) : null);
    Object user = known == null ? factory.get() : known;
    users.put(key, user);
    return user;
  }

  /**
   * Returns a bundle.
   *
   * @throws IllegalArgumentException if there is none of this name, or it cannot be read; the
   *     message is the reason
   */
  private UsedBundle get(String name) {
    UsedBundle known = used.get(name);
    if (known == null) {
      UsedBundle before = previous.get(name);
      try {
        known = UsedBundle.of(name, read(name), before);
      } catch (IllegalArgumentException e) {
        throw explain(name, e);
      }
      used.put(name, known);
      if (known != before) {
        CertificateDates.check(name, known.content());
      }
    }
    return known;
  }

  /**
   * Replaces the content of a bundle that was asked for, for new connections.
   *
   * @return whether the content differs
   * @throws IllegalArgumentException if it cannot be used; the message is the reason
   */
  boolean replace(String name, SslBundle content) {
    UsedBundle now = Objects.requireNonNull(used.get(name));
    UsedBundle next = now.next(content);
    next.prepared().commit();
    used.put(name, next);
    if (next != now) {
      CertificateDates.check(name, content);
    }
    return next != now;
  }

  /** Returns the failure of a bundle, which names the file that is to blame, if one is. */
  IllegalArgumentException explain(String name, IllegalArgumentException failure) {
    return BundleFault.explain(
        failure,
        properties.getBundle().getPem().get(name),
        properties.getBundle().getJks().get(name));
  }

  private SslBundle read(String name) {
    PemSslBundleProperties pem = properties.getBundle().getPem().get(name);
    JksSslBundleProperties jks = properties.getBundle().getJks().get(name);
    if (pem != null && pem.getKeystore().isVerifyKeys()) {
      throw new UnusableBundleException(
          "it has verify-keys, with which Penstock does not learn of new files that do not match",
          "remove verify-keys; Penstock compares keys and certificates itself",
          null);
    }
    try {
      if (pem != null) {
        return PropertiesSslBundle.get(pem);
      }
      if (jks != null) {
        return PropertiesSslBundle.get(jks);
      }
    } catch (RuntimeException e) {
      throw UsedBundle.unreadable(e);
    }
    throw new IllegalArgumentException("there is no such bundle below spring.ssl.bundle");
  }
}
