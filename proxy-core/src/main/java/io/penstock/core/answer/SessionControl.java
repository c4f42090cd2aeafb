package io.penstock.core.answer;

import io.penstock.core.resp.Protocol;
import java.net.SocketAddress;

/**
 * What commands about the client's own connection know of it, and change. On the client's event
 * loop.
 */
public interface SessionControl {

  /** The client has given the password. */
  void setAuthenticated();

  /** Whether no password is required, or it was given. */
  boolean isAuthenticated();

  /** Speaks another protocol version from here on. */
  void setProtocol(Protocol protocol);

  /** As after connecting. */
  void reset();

  /** Whether the client may only send what subscribers may. */
  boolean isRestricted();

  /** Where the client is connected to. */
  SocketAddress localAddress();
}
