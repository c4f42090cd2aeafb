package io.penstock.core.session;

import io.netty.channel.ChannelConfig;
import io.penstock.core.client.Client;
import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.ReadGate;

/** Switches reading from a client's socket on and off. Confined to its loop. */
final class AutoRead {

  private final Client client;
  private final Allowance account;
  private final ReplySequence replies;
  private final ChannelConfig socket;
  private final ReadGate gate;
  private boolean waiting; // for the read gate to open

  /**
   * @param gate of the loop
   * @param socket of the client
   */
  AutoRead(
      Client client,
      ReplySequence replies,
      Allowance account,
      ReadGate gate,
      ChannelConfig socket) {
    this.client = client;
    this.account = account;
    this.replies = replies;
    this.socket = socket;
    this.gate = gate;
  }

  /** Sets whether the client's socket is read. It is read only while the loop reads too. */
  void set(boolean wanted) {
    if (client.isClosed()) {
      return;
    }
    boolean open = gate.isOpen();
    if (wanted && !open && !waiting) {
      waiting = true;
      gate.whenOpen(this::onGateOpen);
    }
    boolean enabled = wanted && open;
    if (socket.isAutoRead() != enabled) {
      socket.setAutoRead(enabled);
      account.readingChanged(enabled, replies.size());
    }
  }

  private void onGateOpen() {
    waiting = false;
    client.processInput();
  }
}
