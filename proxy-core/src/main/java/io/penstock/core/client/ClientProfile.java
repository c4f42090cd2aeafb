package io.penstock.core.client;

import io.penstock.core.command.Command;
import io.penstock.core.resp.Protocol;

/** What a client has told about itself and how it wants to be answered. Confined to its loop. */
public final class ClientProfile {

  private static final int REPLIES_ON = 0;
  private static final int REPLIES_OFF = 1;
  private static final int SKIP_NEXT = 2;

  private static final byte[] NIL = {'*', '-', '1', '\r', '\n'};
  private static final byte[] NIL_3 = {'_', '\r', '\n'};

  private Protocol protocol = Protocol.RESP2;
  private String name = "";
  private String libraryName = "";
  private String libraryVersion = "";
  private int replies = REPLIES_ON;
  private boolean noEvict;

  public Protocol protocol() {
    return protocol;
  }

  public void protocol(Protocol spoken) {
    protocol = spoken;
  }

  /** What stands for an array that there is not. */
  public byte[] nullArray() {
    return protocol == Protocol.RESP3 ? NIL_3 : NIL;
  }

  public String name() {
    return name;
  }

  public void name(String given) {
    name = given;
  }

  public String libraryName() {
    return libraryName;
  }

  public void libraryName(String given) {
    libraryName = given;
  }

  public String libraryVersion() {
    return libraryVersion;
  }

  public void libraryVersion(String given) {
    libraryVersion = given;
  }

  /** Bytes of what it has told. */
  public long size() {
    return (long) name.length() + libraryName.length() + libraryVersion.length();
  }

  public boolean isNoEvict() {
    return noEvict;
  }

  public void noEvict(boolean on) {
    noEvict = on;
  }

  public void repliesOn() {
    replies = REPLIES_ON;
  }

  public void repliesOff() {
    replies = REPLIES_OFF;
  }

  /** What RESET does first; a reply that is to be skipped is skipped all the same. */
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

  /** Whether after a call of {@code CLIENT REPLY} other replies are given than before it. */
  public boolean changesReplyMode(Command call) {
    return replies != REPLIES_ON
        || call.argEqualsIgnoreCase(2, "off")
        || call.argEqualsIgnoreCase(2, "skip");
  }

  /** Whether the request that arrives now gets no reply; each skip counts once. */
  public boolean isNextReplyMuted() {
    if (replies == SKIP_NEXT) {
      replies = REPLIES_ON;
      return true;
    }
    return replies == REPLIES_OFF;
  }

  /** As after connecting. */
  public void reset() {
    protocol = Protocol.RESP2;
    name = "";
    replies = REPLIES_ON;
    noEvict = false;
  }
}
