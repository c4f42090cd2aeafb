package io.penstock.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS of a listener: what its clients must present, and as which user that authenticates them. Two
 * of them are equal if they have the same bundle and settings.
 */
public final class ListenerTls {

  /** Whether a client must present a certificate that the bundle trusts. */
  public enum ClientAuth {
    NONE(io.netty.handler.ssl.ClientAuth.NONE),
    /** Without one it is accepted, with one that is not trusted it is not. */
    WANT(io.netty.handler.ssl.ClientAuth.OPTIONAL),
    NEED(io.netty.handler.ssl.ClientAuth.REQUIRE);

    private final io.netty.handler.ssl.ClientAuth netty;

    ClientAuth(io.netty.handler.ssl.ClientAuth netty) {
      this.netty = netty;
    }
  }

  /**
   * What a listener demands.
   *
   * @param clientAuth whether clients present certificates
   * @param users as which users certificates authenticate their clients
   * @param handshakeTimeout from the connect to the end of the handshake
   */
  public record Settings(
      ClientAuth clientAuth, CertificateUsers users, Duration handshakeTimeout) {}

  private final TlsBundle bundle;
  private final Settings settings;
  private final Supplier<SslContext> contexts;

  /**
   * @throws InvalidTlsException if the bundle cannot be used for it
   */
  public ListenerTls(TlsBundle bundle, Settings settings) {
    this(bundle.content(), settings);
  }

  /**
   * @param content with which it begins; it has that of the bundle after each change
   * @throws InvalidTlsException if the content cannot be used for it
   */
  public ListenerTls(TlsBundle.Content content, Settings settings) {
    this.bundle = content.bundle();
    this.settings = settings;
    this.contexts = content.contexts(material -> make(material, settings));
  }

  public Settings settings() {
    return settings;
  }

  private static SslContext make(TlsMaterial material, Settings settings) throws SSLException {
    KeyManagerFactory keys = material.keys();
    if (keys == null) {
      throw new SSLException("it has no private key and certificate");
    }
    if (settings.clientAuth() != ClientAuth.NONE && material.trusted() == null) {
      throw new SSLException("it has no certificates to trust, which client-auth needs");
    }
    return Contexts.common(SslContextBuilder.forServer(keys), material)
        .clientAuth(settings.clientAuth().netty)
        .build();
  }

  /** Returns the handler of a new connection, which reads and writes TLS for the next handlers. */
  public SslHandler newHandler(ByteBufAllocator allocator) {
    SslHandler handler = contexts.get().newHandler(allocator);
    handler.setHandshakeTimeoutMillis(settings.handshakeTimeout().toMillis());
    return handler;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ListenerTls tls
        && tls.bundle == bundle
        && tls.settings.equals(settings);
  }

  @Override
  public int hashCode() {
    return Objects.hash(bundle.name(), settings);
  }

  /** Returns the user that the client's certificate names, or null. Call after the handshake. */
  public @Nullable String user(SslHandler handler) {
    return settings.users().user(handler.engine().getSession());
  }
}
