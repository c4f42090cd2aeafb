package io.penstock.core.session;

import io.netty.channel.ChannelConfig;
import io.penstock.core.transport.ReadGate;

/** Whether a client's socket is read. Confined to its loop. */
final class Reading {

  private final Session session;
  private final ReadGate gate;
  private boolean waiting; // for the gate

  Reading(Session session) {
    this.session = session;
    this.gate = session.loop().loop().readGate();
  }

  /** The client's socket should be read from here on, or should not: it is when the loop reads. */
  void want(boolean wanted) {
    if (session.isClosed()) {
      return;
    }
    boolean open = gate.isOpen();
    if (wanted && !open && !waiting) {
      waiting = true;
      gate.await(this::readOn);
    }
    boolean reads = wanted && open;
    ChannelConfig socket = session.channel().config();
    if (socket.isAutoRead() != reads) {
      socket.setAutoRead(reads);
      session.allowance().reads(reads, session.sequence().size());
    }
  }

  private void readOn() {
    waiting = false;
    session.takeUp();
  }
}
