package io.penstock.core.backend;

/** One loop's figures for one node. Plain fields: read on the loop. */
final class NodeCounters {

  private long connections;
  private long exclusive;
  private long bytesSentBefore; // on channels that are closed
  private long bytesReceived;
  private long reconnects;
  private long errors;

  void connected(boolean again) {
    connections++;
    if (again) {
      reconnects++;
    }
  }

  void disconnected(long bytesSent) {
    connections--;
    bytesSentBefore += bytesSent;
  }

  /** A connection that one client had for itself has ended or begun. */
  void leased(int more) {
    exclusive += more;
  }

  void failed() {
    errors++;
  }

  void received(int bytes) {
    bytesReceived += bytes;
  }

  long connections() {
    return connections;
  }

  /** Of all connections those for one client each, in use or not. */
  long exclusive() {
    return exclusive;
  }

  long bytesSentBefore() {
    return bytesSentBefore;
  }

  long bytesReceived() {
    return bytesReceived;
  }

  long reconnects() {
    return reconnects;
  }

  long errors() {
    return errors;
  }
}
