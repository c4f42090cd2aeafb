package io.penstock.server.tls;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.penstock.core.tls.InvalidTlsException;
import io.penstock.core.tls.TlsBundle;
import io.penstock.core.tls.TlsMaterial;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.UnrecoverableKeyException;
import java.security.cert.Certificate;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;

/**
 * What a bundle that a listener or an upstream uses contains, or will contain.
 *
 * @param content as Spring Boot read it
 * @param prepared the same for the core; its bundle is the same for a name as long as Penstock runs
 * @param digest of keys, certificates and options
 */
record UsedBundle(SslBundle content, TlsBundle.Content prepared, String digest) {

  /**
   * Returns a bundle with this content.
   *
   * @param before the bundle of this name until now, or null; it is used on if it can be
   * @throws IllegalArgumentException if the content cannot be used; the message is the reason
   */
  static UsedBundle of(String name, SslBundle content, @Nullable UsedBundle before) {
    if (before != null) {
      try {
        return before.next(content);
      } catch (InvalidTlsException _) {
        // what uses it now cannot use the new content; what will use it perhaps can
      }
    }
    var bundle = new TlsBundle(name, material(content));
    return new UsedBundle(content, bundle.content(), digest(content));
  }

  /**
   * Prepares other content, which is used when it is committed; returns this if it is the same.
   *
   * @throws InvalidTlsException if it cannot be used where this is used
   * @throws IllegalArgumentException if it cannot be read; the message is the reason
   */
  UsedBundle next(SslBundle other) {
    TlsMaterial next = material(other);
    String digestOfNext = digest(other);
    if (digest.equals(digestOfNext)) {
      return this;
    }
    return new UsedBundle(other, prepared.bundle().prepare(next), digestOfNext);
  }

  /**
   * Does nothing if the content can be read.
   *
   * @throws IllegalArgumentException if not; the message is the reason
   */
  static void requireReadable(SslBundle content) {
    material(content);
  }

  /**
   * Returns the content of a bundle.
   *
   * @throws IllegalArgumentException if it cannot be read; the message is the reason
   */
  private static TlsMaterial material(SslBundle bundle) {
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

  /** Returns an exception with the reason as its message. */
  static IllegalArgumentException unreadable(RuntimeException failure) {
    Throwable root = failure;
    while (root.getCause() != null && !isWrongPassword(root)) {
      root = root.getCause();
    }
    String message = root.getMessage();
    return new IllegalArgumentException(
        message == null || message.isBlank() ? root.getClass().getSimpleName() : message, failure);
  }

  /** As {@link KeyStore#load} reports it. */
  private static boolean isWrongPassword(Throwable failure) {
    return failure instanceof IOException
        && failure.getCause() instanceof UnrecoverableKeyException;
  }

  private static String digest(SslBundle bundle) {
    try {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      String storePassword = bundle.getStores().getKeyStorePassword();
      String keyPassword = bundle.getKey().getPassword();
      add(digest, bundle.getStores().getKeyStore(), keyPassword, storePassword);
      add(digest, bundle.getStores().getTrustStore(), null, null);
      String options =
          bundle.getKey().getAlias()
              + Arrays.toString(bundle.getOptions().getCiphers())
              + Arrays.toString(bundle.getOptions().getEnabledProtocols())
              + bundle.getProtocol();
      return HexFormat.of().formatHex(digest.digest(options.getBytes(UTF_8)));
    } catch (GeneralSecurityException | RuntimeException e) {
      throw new IllegalArgumentException(String.valueOf(e.getMessage()), e);
    }
  }

  private static void add(
      MessageDigest digest,
      @Nullable KeyStore store,
      @Nullable String keyPassword,
      @Nullable String storePassword)
      throws GeneralSecurityException {
    digest.update((byte) (store == null ? 0 : 1));
    if (store == null) {
      return;
    }
    String password = keyPassword == null ? storePassword : keyPassword;
    List<String> aliases = Collections.list(store.aliases());
    Collections.sort(aliases);
    for (String alias : aliases) {
      digest.update(alias.getBytes(UTF_8));
      Certificate[] chain = store.getCertificateChain(alias);
      for (Certificate each :
          chain == null ? new Certificate[] {store.getCertificate(alias)} : chain) {
        digest.update(each.getEncoded());
      }
      Key key =
          store.isKeyEntry(alias)
              ? store.getKey(alias, password == null ? new char[0] : password.toCharArray())
              : null;
      if (key != null && key.getEncoded() != null) {
        digest.update(key.getEncoded());
      }
    }
  }

  @Override
  public String toString() {
    return "UsedBundle[" + prepared.bundle().name() + "]"; // no password of a store
  }
}
