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

  private static final String UNKNOWN_COMMAND = "unknown command 'PROXY'";

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
   * Returns whether an error reply means that the node took the header, of version 1, for a
   * command.
   */
  public boolean isHeaderRejected(String error) {
    return proxyProtocol != null && error.contains(UNKNOWN_COMMAND);
  }

  /** Returns an error reply of the node; what to do, if it rejects the header. */
  public String explainReply(String error) {
    return isHeaderRejected(error)
        ? "it does not expect the PROXY protocol header, v1, and answers "
            + UNKNOWN_COMMAND
            + ": remove proxy-protocol of its upstream, or name the balancer that expects it"
        : error;
  }

  /**
   * Returns why a connection failed, and that it began with a header, if it did: a node that does
   * not expect one closes the connection or does not answer, unless it replies with an error.
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
