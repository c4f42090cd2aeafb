package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.Protocol;
import io.penstock.core.upstream.Access;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ProxyChain;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The first requests on a new connection: {@code HELLO 3} with credentials, or {@code AUTH}, then
 * {@code CLIENT SETNAME}, {@code SELECT} and {@code READONLY}. Each must be answered without an
 * error; the name may be refused for lack of permission, or because a script runs. By the name,
 * another Penstock notices requests that would go round in a circle.
 */
public final class Handshake {

  /** What an error reply to the request means. */
  private enum Role {
    /** The node cannot be used. */
    ACCESS,
    /** Nothing, usually. The reply is for the {@link ProxyChain}. */
    NAMING,
    /**
     * The node can be used, but not with the database (or by the user, or for the reads) that this
     * connection is for.
     */
    SELECTION
  }

  /** Errors of a node that is loading, is busy, or has too many clients at the moment. */
  private static final List<String> TEMPORARY =
      List.of("LOADING ", "BUSY ", "MASTERDOWN ", "ERR max number of clients");

  /** Errors that last until a password, a user or Penstock's configuration is changed. */
  private static final List<String> ACCESS_DENIED = List.of("NOAUTH ", "WRONGPASS ", "NOPERM ");

  private static final Logger log = LoggerFactory.getLogger(Handshake.class);

  private final List<byte[]> requests = new ArrayList<>(); // the first is authentication, if any
  private final @Nullable Credentials credentials;
  private final boolean ofClient; // the credentials
  private final Protocol protocol;
  private final int naming; // index of CLIENT SETNAME, which may fail
  private final boolean isPlain;
  private final Endpoint node;
  private final ProxyChain chain;

  /** The handshake of a plain connection. */
  public Handshake(Endpoint node, Protocol protocol, ProxyChain chain) {
    this(node, node.access(), protocol, false, ConnectionKey.PLAIN, chain);
  }

  private Handshake(
      Endpoint node,
      Access access,
      Protocol protocol,
      boolean readonly,
      ConnectionKey key,
      ProxyChain chain) {
    ConnectionKey.Login login = key.login();
    this.node = node;
    this.chain = chain;
    this.isPlain = key.isPlain();
    this.protocol = protocol;
    ofClient = login != null;
    credentials =
        login == null ? access.credentials() : new Credentials(login.user(), login.password());
    if (protocol == Protocol.RESP3 || credentials != null) {
      requests.add(authentication());
    }
    // Always sent: a node with too many clients, or one that requires a password, then reports it
    // here and not in place of a client's reply. Allowed while a node loads.
    naming = requests.size();
    requests.add(encode("CLIENT", "SETNAME", chain.connectionName("")));
    if (access.database() != 0) {
      requests.add(encode("SELECT", Integer.toString(access.database())));
    }
    if (readonly) {
      requests.add(encode("READONLY"));
    }
  }

  /**
   * The handshake for a connection of a set.
   *
   * @param key of the set
   */
  public static Handshake of(
      ConnectionKey key, Endpoint node, Protocol protocol, BackendContext backend) {
    int database = key.database();
    Access access = node.access();
    return new Handshake(
        node,
        database < 0 ? access : access.withDatabase(database),
        protocol,
        key.readsReplica() && backend.traits().isInCluster(node),
        key,
        backend.settings().chain());
  }

  /** Returns the first request, with the latest password. */
  private byte[] authentication() {
    return protocol == Protocol.RESP2 && credentials != null
        ? auth(credentials)
        : hello(credentials);
  }

  private static byte[] hello(@Nullable Credentials credentials) {
    if (credentials == null) {
      return encode("HELLO", "3");
    }
    String user = credentials.user() == null ? "default" : credentials.user();
    return encode("HELLO", "3", "AUTH", user, credentials.password());
  }

  private static byte[] auth(Credentials credentials) {
    String user = credentials.user();
    return user == null
        ? encode("AUTH", credentials.password())
        : encode("AUTH", user, credentials.password());
  }

  /** Sends the requests together; {@code listener} is called for each reply. */
  public void send(Link link, LinkListener listener) {
    if (credentials != null) {
      requests.set(0, authentication());
    }
    for (int i = 0; i < requests.size(); i++) {
      link.send(requests.get(i), new Step(listener, roleOf(i)));
    }
  }

  /**
   * Authenticates on a connection that is in use: the password has changed. If the node rejects it,
   * the connection stays authenticated as before. Does nothing for the user of a client.
   */
  public void sendAgain(Link link, Endpoint node, String logPrefix) {
    if (credentials != null && !ofClient) {
      link.send(auth(credentials), new Again(node, logPrefix));
    }
  }

  private Role roleOf(int index) {
    if (index == naming) {
      return Role.NAMING;
    }
    return (index < naming && !ofClient) || isPlain ? Role.ACCESS : Role.SELECTION;
  }

  /** Number of requests, and of replies. */
  public int size() {
    return requests.size();
  }

  /** Masks passwords: servers that do not know a command repeat its arguments. */
  public static BackendException failure(Endpoint node, String error) {
    return BackendException.handshakeFailed(
        node.access().transport().explainReply(Credentials.mask(error)));
  }

  /** Returns whether the handshake may soon succeed in spite of this error. */
  static boolean isTemporary(String error) {
    return TEMPORARY.stream().anyMatch(error::startsWith);
  }

  /** Returns whether the node requires another password, or does not permit the handshake. */
  static boolean isAccessDenied(String error) {
    return ACCESS_DENIED.stream().anyMatch(error::startsWith);
  }

  /** Returns the error text if the reply is an error, else null. */
  static @Nullable String errorIn(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) != '-') {
      return null;
    }
    return buffer.toString(from + 1, to - from - 3, StandardCharsets.UTF_8);
  }

  /**
   * Returns the error text, but null for an error that an optional request may have: it is not
   * permitted to this user, or a script is running. A client that kills this script must be able to
   * connect.
   */
  public static @Nullable String seriousErrorIn(ByteBuf buffer, int from, int to) {
    String error = errorIn(buffer, from, to);
    boolean harmless = error != null && (error.startsWith("NOPERM ") || error.startsWith("BUSY "));
    return harmless ? null : error;
  }

  public static byte[] encode(String... arguments) {
    var text = new StringBuilder().append('*').append(arguments.length).append("\r\n");
    for (String argument : arguments) {
      int length = argument.getBytes(StandardCharsets.UTF_8).length;
      text.append('$').append(length).append("\r\n").append(argument).append("\r\n");
    }
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** An authentication on a connection that is in use. */
  private static final class Again extends Exchange {

    private final Endpoint node;
    private final String logPrefix;

    Again(Endpoint node, String logPrefix) {
      this.node = node;
      this.logPrefix = logPrefix;
      sendOptions(protocol(), 0, Long.MAX_VALUE);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      String error = errorIn(buffer, from, to);
      if (error != null) {
        log.warn(
            "{}{} rejects the changed password; an open connection goes on with the earlier one:"
                + " {}",
            logPrefix,
            node,
            Credentials.mask(error));
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      // Not an error.
    }

    @Override
    public void onFailure(Failure failure) {
      // The next connection uses the changed password.
    }
  }

  /** Notes what the node has answered to the name. */
  private void learn(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '+') {
      chain.learn(node, buffer.toString(from + 1, to - from - 3, StandardCharsets.US_ASCII));
    }
  }

  /** One request. */
  private final class Step extends Exchange {

    private final LinkListener listener;
    private final Role role;

    Step(LinkListener listener, Role role) {
      this.listener = listener;
      this.role = role;
      sendOptions(protocol(), 0, Long.MAX_VALUE);
    }

    @Override
    public void onReply(ByteBuf buffer, int from, int to) {
      if (role == Role.NAMING) {
        learn(buffer, from, to);
        listener.onHandshakeReply(seriousErrorIn(buffer, from, to));
        return;
      }
      @Nullable String error = errorIn(buffer, from, to);
      if (error != null && role == Role.SELECTION && !isTemporary(error)) {
        listener.onSelectionRejected(error);
      } else {
        listener.onHandshakeReply(error);
      }
    }

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
      if (last) {
        listener.onHandshakeReply(null);
      }
    }

    @Override
    public void onFailure(Failure failure) {
      // The connection has been notified of the lost connection.
    }
  }
}
