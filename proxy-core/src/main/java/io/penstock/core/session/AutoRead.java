package io.penstock.core.session;

import io.netty.channel.ChannelConfig;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.ReadGate;

/** Whether a client's socket is read. Confined to its loop. */
final class AutoRead {

  private final Client client;
  private final Allowance account;
  private final ReplySequence replies;
  private final ChannelConfig socket;
  private final ReadGate gate;
  private boolean waiting; // for the gate

  /**
   * @param socket of the client
   */
  AutoRead(ClientContext context, ChannelConfig socket) {
    this.client = context.client();
    this.account = context.account();
    this.replies = context.replies();
    this.socket = socket;
    this.gate = context.loop().readGate();
  }

  /** The client's socket should be read from here on, or should not: it is when the loop reads. */
  void set(boolean wanted) {
    if (client.isClosed()) {
      return;
    }
    boolean open = gate.isOpen();
    if (wanted && !open && !waiting) {
      waiting = true;
      gate.whenOpen(this::readOn);
    }
    boolean reads = wanted && open;
    if (socket.isAutoRead() != reads) {
      socket.setAutoRead(reads);
      account.readingChanged(reads, replies.size());
    }
  }

  private void readOn() {
    waiting = false;
    client.processInput();
  }
}
