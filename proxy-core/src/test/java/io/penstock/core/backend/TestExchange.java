package io.penstock.core.backend;

import io.netty.buffer.ByteBuf;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.testkit.wire.Wire;
import java.util.List;

/** An exchange that writes down what happens to it, with its name in front. */
public final class TestExchange extends Exchange {

  private final String name;
  private final List<String> log;
  private Runnable afterwards = () -> {};
  private boolean recovers;

  public TestExchange(String name, List<String> log, long deadline) {
    this(name, log, deadline, Protocol.RESP2, 0);
  }

  public TestExchange(
      String name, List<String> log, long deadline, Protocol protocol, int affinity) {
    this.name = name;
    this.log = log;
    sendOptions(protocol, affinity, deadline);
    ByteBuf wire = Wire.buffer("<" + name + ">");
    bytes(new SharedBuffer(wire), 0, wire.readableBytes());
  }

  /** Has it wait in the failover hold until then. */
  public TestExchange heldUntil(long holdDeadline) {
    sendOptions(protocol(), affinity(), deadline(), holdDeadline);
    return this;
  }

  public TestExchange inDatabase(int number) {
    useConnections(ConnectionKey.ofDatabase(number));
    return this;
  }

  public TestExchange readingReplica() {
    useConnections(connections().forReplicaReads());
    return this;
  }

  /** Releases its bytes: it is not sent. */
  public void release() {
    releaseBytes();
  }

  /** Runs {@code action} when the exchange has ended. */
  public TestExchange then(Runnable action) {
    afterwards = action;
    return this;
  }

  /** Handles exceptions thrown by the action of {@link #then}. */
  public TestExchange thatRecovers() {
    recovers = true;
    return this;
  }

  @Override
  public boolean recoverFrom(Throwable defect) {
    log.add(name + " " + defect.getMessage());
    releaseBytes();
    return recovers;
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    finish(name + " " + Wire.text(buffer, from, to));
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    log.add(name + (last ? " last " : " part ") + Wire.text(buffer, from, to));
    if (last) {
      releaseBytes();
    }
    if (last || recovers) {
      afterwards.run();
    }
  }

  @Override
  public void onFailure(Failure failure) {
    finish(name + " " + failure);
  }

  private void finish(String how) {
    log.add(how);
    releaseBytes();
    afterwards.run();
  }
}
