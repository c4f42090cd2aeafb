package io.penstock.core.client;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.command.Command;
import io.penstock.core.resp.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * What a client has set about itself: protocol version, database, names, reply mode. Confined to
 * its loop.
 */
public final class ClientProfile {

  private static final int REPLIES_ON = 0;
  private static final int REPLIES_OFF = 1;
  private static final int SKIP_NEXT = 2;

  private static final byte[] NIL = {'*', '-', '1', '\r', '\n'};
  private static final byte[] NIL_3 = {'_', '\r', '\n'};

  private Protocol protocol = Protocol.RESP2;
  private ConnectionKey connections = ConnectionKey.PLAIN;
  private String name = "";
  private String libraryName = "";
  private String libraryVersion = "";
  private int replies = REPLIES_ON;
  private boolean noEvict;
  private User user = User.DEFAULT;
  private boolean redirect;
  private boolean readOnly;

  public Protocol protocol() {
    return protocol;
  }

  public void protocol(Protocol spoken) {
    protocol = spoken;
  }

  /** Returns the connections to nodes with the client's database and user. */
  public ConnectionKey connections() {
    return connections;
  }

  /**
   * Sets the database of the client.
   *
   * @param number as for {@link ConnectionKey#ofDatabase}
   */
  public void database(int number) {
    connections = connections.withDatabase(number);
  }

  /**
   * Sets the user that authenticates on the client's connections to nodes.
   *
   * @param login null for the upstream's own user
   */
  public void login(ConnectionKey.@Nullable Login login) {
    connections = connections.withLogin(login);
  }

  /** Returns the null array of the client's protocol version. */
  public byte[] nullArray() {
    return protocol == Protocol.RESP3 ? NIL_3 : NIL;
  }

  public String name() {
    return name;
  }

  public void name(String value) {
    name = value;
  }

  public String libraryName() {
    return libraryName;
  }

  public void libraryName(String value) {
    libraryName = value;
  }

  public String libraryVersion() {
    return libraryVersion;
  }

  public void libraryVersion(String value) {
    libraryVersion = value;
  }

  /** Returns the bytes that the names take. */
  public long size() {
    return (long) name.length() + libraryName.length() + libraryVersion.length();
  }

  public boolean isNoEvict() {
    return noEvict;
  }

  public void noEvict(boolean on) {
    noEvict = on;
  }

  /** Returns the letters of what it says it can do, as in the field {@code capa}. */
  public String capabilities() {
    return redirect ? "r" : "";
  }

  /** It said {@code CLIENT CAPA redirect}. It keeps this until it disconnects. */
  public void canFollowRedirects() {
    redirect = true;
  }

  /** Returns whether it called {@code READONLY} last, not {@code READWRITE}. */
  public boolean isReadOnly() {
    return readOnly;
  }

  public void readOnly(boolean on) {
    readOnly = on;
  }

  /** Returns the user that the client is authenticated as, or would be. */
  public User user() {
    return user;
  }

  public void user(User authenticated) {
    user = authenticated;
  }

  public void repliesOn() {
    replies = REPLIES_ON;
  }

  public void repliesOff() {
    replies = REPLIES_OFF;
  }

  /**
   * Ends {@code CLIENT REPLY OFF}, as RESET does first; a reply to be skipped is skipped
   * nevertheless.
   */
  public void endRepliesOff() {
    if (replies == REPLIES_OFF) {
      replies = REPLIES_ON;
    }
  }

  public void skipNextReply() {
    if (replies == REPLIES_ON) {
      replies = SKIP_NEXT;
    }
  }

  /** Returns whether a call of {@code CLIENT REPLY} changes which replies are given. */
  public boolean changesReplyMode(Command call) {
    return replies != REPLIES_ON
        || call.argEqualsIgnoreCase(2, "off")
        || call.argEqualsIgnoreCase(2, "skip");
  }

  /**
   * Returns whether the request that arrives now gets no reply. Called once for each request, as a
   * skip is for one.
   */
  public boolean isNextReplyMuted() {
    if (replies == SKIP_NEXT) {
      replies = REPLIES_ON;
      return true;
    }
    return replies == REPLIES_OFF;
  }

  /** Resets the profile to its state after connecting. */
  public void reset() {
    protocol = Protocol.RESP2;
    connections = ConnectionKey.PLAIN;
    name = "";
    replies = REPLIES_ON;
    noEvict = false;
    readOnly = false;
    user = User.DEFAULT;
  }
}
