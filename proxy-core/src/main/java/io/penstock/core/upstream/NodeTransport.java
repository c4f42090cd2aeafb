package io.penstock.core.upstream;

import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.penstock.core.tls.NodeTls;
import org.jspecify.annotations.Nullable;

/**
 * What is between TCP and Redis's protocol on a connection to a node: first the header of the PROXY
 * protocol, then TLS (docs/adr/0039). Immutable.
 *
 * @param tls null for a connection without TLS
 * @param proxyProtocol version of the header; null for none
 */
public record NodeTransport(@Nullable NodeTls tls, @Nullable HAProxyProtocolVersion proxyProtocol) {

  /** Neither a header nor TLS. */
  public static final NodeTransport PLAIN = new NodeTransport(null, null);

  /** Without a header. */
  public static NodeTransport of(@Nullable NodeTls tls) {
    return tls == null ? PLAIN : new NodeTransport(tls, null);
  }

  /** Returns it without TLS. */
  public NodeTransport withoutTls() {
    return tls == null ? this : new NodeTransport(null, proxyProtocol);
  }

  /**
   * Returns why a connection failed, and that it began with a header, if it did: a node that does
   * not expect one closes the connection or does not answer.
   */
  public String explain(String reason) {
    return proxyProtocol == null
        ? reason
        : reason
            + " (the connection began with a PROXY protocol header, "
            + (proxyProtocol == HAProxyProtocolVersion.V1 ? "v1" : "v2")
            + ")";
  }
}
