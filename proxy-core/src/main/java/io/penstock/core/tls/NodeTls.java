package io.penstock.core.tls;

import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS of the connections to the nodes of an upstream. Two of them are equal if they have the same
 * bundle and verify the same.
 */
public final class NodeTls {

  /** What of a node's certificate is verified. */
  public enum Verify {
    /** That it is trusted, and that it is for the node's host name or IP address. */
    FULL,
    /** That it is trusted. */
    CA,
    /** Nothing: whoever is on the path can read and change everything. */
    NONE
  }

  private final TlsBundle bundle;
  private final Verify verify;
  private final Supplier<SslContext> contexts;
  private final @Nullable String serverName;

  /**
   * @param serverName the name that all nodes' certificates are for, which they are also asked for;
   *     null if each node's certificate is for the host that it is connected to
   * @throws InvalidTlsException if the bundle cannot be used for it
   */
  public NodeTls(TlsBundle bundle, Verify verify, @Nullable String serverName) {
    this(bundle.content(), verify, serverName);
  }

  /**
   * @param content with which it begins; it has that of the bundle after each change
   * @param serverName see the other constructor
   * @throws InvalidTlsException if the content cannot be used for it
   */
  public NodeTls(TlsBundle.Content content, Verify verify, @Nullable String serverName) {
    this.bundle = content.bundle();
    this.verify = verify;
    this.contexts = content.contexts(material -> make(material, verify));
    this.serverName = serverName;
  }

  private static SslContext make(TlsMaterial material, Verify verify) throws SSLException {
    SslContextBuilder builder =
        Contexts.common(SslContextBuilder.forClient(), material)
            .keyManager(material.keys())
            .endpointIdentificationAlgorithm(verify == Verify.FULL ? "HTTPS" : "");
    if (verify == Verify.NONE) {
      builder.trustManager(InsecureTrustManagerFactory.INSTANCE);
    }
    return builder.build();
  }

  /**
   * Returns the handler of a new connection, which reads and writes TLS for the next handlers.
   *
   * @param host the node's host name or IP address, or the name of its Unix socket, for which no
   *     certificate is valid
   * @param port 0 for a Unix socket
   * @param timeout of the handshake
   */
  public SslHandler newHandler(
      ByteBufAllocator allocator, String host, int port, Duration timeout) {
    SslHandler handler =
        contexts.get().newHandler(allocator, serverName == null ? host : serverName, port);
    handler.setHandshakeTimeoutMillis(timeout.toMillis());
    return handler;
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof NodeTls tls
        && tls.bundle == bundle
        && tls.verify == verify
        && Objects.equals(tls.serverName, serverName);
  }

  @Override
  public int hashCode() {
    return Objects.hash(bundle.name(), verify, serverName);
  }

  @Override
  public String toString() {
    return "NodeTls[bundle="
        + bundle.name()
        + ", verify="
        + verify
        + ", serverName="
        + serverName
        + "]";
  }
}
