package io.penstock.testkit.tls;

import java.net.Socket;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;
import org.jspecify.annotations.Nullable;

/**
 * Presents a client's certificate to every server. The JDK's own key manager presents none if the
 * server does not name its issuer.
 */
final class OnlyKey extends X509ExtendedKeyManager {

  private final X509ExtendedKeyManager key;

  OnlyKey(X509ExtendedKeyManager key) {
    this.key = key;
  }

  @Override
  public @Nullable String chooseClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return key.chooseClientAlias(keyTypes, null, socket);
  }

  @Override
  public @Nullable String chooseEngineClientAlias(
      String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return key.chooseEngineClientAlias(keyTypes, null, engine);
  }

  @Override
  public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
    return key.getClientAliases(keyType, null);
  }

  @Override
  public @Nullable String chooseServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
    return key.chooseServerAlias(keyType, issuers, socket);
  }

  @Override
  public @Nullable String chooseEngineServerAlias(
      String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
    return key.chooseEngineServerAlias(keyType, issuers, engine);
  }

  @Override
  public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
    return key.getServerAliases(keyType, issuers);
  }

  @Override
  public X509Certificate @Nullable [] getCertificateChain(String alias) {
    return key.getCertificateChain(alias);
  }

  @Override
  public @Nullable PrivateKey getPrivateKey(String alias) {
    return key.getPrivateKey(alias);
  }
}
