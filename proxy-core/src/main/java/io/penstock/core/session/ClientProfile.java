package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.resp.Protocol;

/** What a client has told about itself and how it wants to be answered. Confined to its loop. */
final class ClientProfile {

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

  Protocol protocol() {
    return protocol;
  }

  void protocol(Protocol spoken) {
    protocol = spoken;
  }

  /** What stands for an array that there is not. */
  byte[] nil() {
    return protocol == Protocol.RESP3 ? NIL_3 : NIL;
  }

  String name() {
    return name;
  }

  void name(String given) {
    name = given;
  }

  String libraryName() {
    return libraryName;
  }

  void libraryName(String given) {
    libraryName = given;
  }

  String libraryVersion() {
    return libraryVersion;
  }

  void libraryVersion(String given) {
    libraryVersion = given;
  }

  /** Bytes of what it has told. */
  long size() {
    return (long) name.length() + libraryName.length() + libraryVersion.length();
  }

  boolean isNoEvict() {
    return noEvict;
  }

  void noEvict(boolean on) {
    noEvict = on;
  }

  void repliesOn() {
    replies = REPLIES_ON;
  }

  void repliesOff() {
    replies = REPLIES_OFF;
  }

  /** What RESET does first; a reply that is to be skipped is skipped all the same. */
  void endRepliesOff() {
    if (replies == REPLIES_OFF) {
      replies = REPLIES_ON;
    }
  }

  void skipNextReply() {
    if (replies == REPLIES_ON) {
      replies = SKIP_NEXT;
    }
  }

  /** Whether after a call of {@code CLIENT REPLY} other replies are given than before it. */
  boolean changesReplies(Command call) {
    return replies != REPLIES_ON
        || call.argEqualsIgnoreCase(2, "off")
        || call.argEqualsIgnoreCase(2, "skip");
  }

  /** Whether the request that arrives now gets no reply; each skip counts once. */
  boolean mutesNext() {
    if (replies == SKIP_NEXT) {
      replies = REPLIES_ON;
      return true;
    }
    return replies == REPLIES_OFF;
  }

  /** As after connecting. */
  void reset() {
    protocol = Protocol.RESP2;
    name = "";
    replies = REPLIES_ON;
    noEvict = false;
  }
}
