package io.penstock.core.answer;

import io.penstock.core.directory.ListedClient;
import io.penstock.core.resp.Protocol;
import io.penstock.core.users.KnownUser;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The session as commands about the client's own connection see and change it. Used on the client's
 * event loop.
 */
public interface SessionControl {

  /** The client has authenticated. */
  void setAuthenticated();

  /**
   * The client has given the password of a user of {@link AnswerLoop.Access#users}.
   *
   * @return false if the user has as many clients as it may; then the client is not authenticated
   */
  boolean login(KnownUser user);

  /**
   * A login failed: adds an event to {@code ACL LOG}.
   *
   * @param reason why it was denied, as in the reply
   * @param user as the client wrote it
   */
  void denied(String reason, String object, String user);

  /** Returns whether the client has authenticated, or no password is required. */
  boolean isAuthenticated();

  /** Sets the protocol version from now on. */
  void setProtocol(Protocol protocol);

  /** Resets the session to its state after connecting. */
  void reset();

  /** Returns whether only the commands of subscribers are allowed. */
  boolean isRestricted();

  /**
   * Returns the client's address, the one in the PROXY protocol header if there is one; of a Unix
   * socket, one that is no IP address.
   */
  @Nullable SocketAddress clientAddress();

  /** Returns the address that the client is connected to; of a Unix socket, one without port. */
  SocketAddress localAddress();

  /** Returns the client as commands about all clients see it. */
  ListedClient view();
}
