package io.penstock.server.tls;

import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.util.Collections;
import org.jspecify.annotations.Nullable;

/**
 * Compares private keys with their certificates. Neither the key store nor the TLS library does
 * that: each handshake would fail.
 */
final class KeyPairs {

  private static final byte[] SAMPLE = {1, 2, 3, 4};

  private KeyPairs() {}

  /**
   * Verifies each key of the store, or only the one that is chosen.
   *
   * @param alias the chosen key, or null
   * @throws IllegalArgumentException if a private key is not the one of its certificate
   */
  static void verify(KeyStore store, @Nullable String alias, char @Nullable [] password) {
    try {
      for (String each : Collections.list(store.aliases())) {
        if (store.isKeyEntry(each) && (alias == null || alias.equalsIgnoreCase(each))) {
          Key key = store.getKey(each, password);
          Certificate certificate = store.getCertificate(each);
          if (key instanceof PrivateKey mine
              && certificate != null
              && !match(mine, certificate.getPublicKey())) {
            throw new IllegalArgumentException("the private key is not that of the certificate");
          }
        }
      }
    } catch (GeneralSecurityException e) {
      throw new IllegalArgumentException(e);
    }
  }

  private static boolean match(PrivateKey mine, PublicKey certified)
      throws GeneralSecurityException {
    if (mine instanceof RSAKey rsa) {
      return certified instanceof RSAKey other && rsa.getModulus().equals(other.getModulus());
    }
    if (mine instanceof ECKey) {
      return certified instanceof ECKey && verifies("SHA256withECDSA", mine, certified);
    }
    if (mine instanceof EdECKey) {
      return certified instanceof EdECKey && verifies("EdDSA", mine, certified);
    }
    return true; // a kind that is not known here
  }

  private static boolean verifies(String algorithm, PrivateKey mine, PublicKey certified)
      throws GeneralSecurityException {
    Signature signing = Signature.getInstance(algorithm);
    signing.initSign(mine);
    signing.update(SAMPLE);
    Signature verifying = Signature.getInstance(algorithm);
    verifying.initVerify(certified);
    verifying.update(SAMPLE);
    return verifying.verify(signing.sign());
  }
}
