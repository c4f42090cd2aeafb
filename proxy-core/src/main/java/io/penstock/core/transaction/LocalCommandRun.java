package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Runs the local commands of a transaction, one after the other, as part of {@code EXEC}. Their
 * replies are kept until {@link #close}.
 */
final class LocalCommandRun implements Sliced {

  /** The transaction that the commands belong to. */
  interface Owner {

    /**
     * Adds bytes to the pending ones of all replies.
     *
     * @return false if there are too many: these must be dropped
     */
    boolean addPending(int bytes);

    /** Handles the end of the local commands: all are answered. */
    void onLocalCommandsDone();

    /** Handles local commands that could not be answered. */
    void onInternalError(Throwable cause);
  }

  /** Bytes of replies after which a slice ends. */
  private static final int MAX_SLICE_BYTES = 1024 * 1024;

  /** Answers after which a slice ends. */
  private static final int MAX_SLICE_ANSWERS = Slices.STEPS_PER_SLICE / TurnBudget.LOCAL_REPLY;

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final RequestReader reader;
  private final Slices slices;
  private final LocalCommandHandler handler;
  private final List<Transaction.LocalRequest> commands;
  private final Owner execution;
  private final List<ReplySlot> slots = new ArrayList<>();
  private int released; // how many of them were returned to the loop
  private int answers; // in this slice
  private long sliceBytes; // of replies in this slice
  private boolean failed;
  private boolean running;
  private boolean waiting; // for the reply to the last command begun

  /**
   * @param execution notified when all are answered
   */
  LocalCommandRun(
      TransactionContext parts, List<Transaction.LocalRequest> commands, Owner execution) {
    ClientContext context = parts.clientContext();
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.reader = context.reader();
    this.slices = context.loop().slices();
    this.handler = parts.localCommands();
    this.commands = commands;
    this.execution = execution;
  }

  /** Answers as many commands as can be answered at once. */
  void run() {
    if (failed) {
      return;
    }
    try {
      answerAll();
    } catch (Throwable e) { // the caller must not fail because of this client
      failed = true;
      dropReplies();
      abandon(); // one may still be in flight
      execution.onInternalError(e);
    }
  }

  private void answerAll() {
    running = true;
    while (!waiting && slots.size() < commands.size()) {
      if (sliceBytes >= MAX_SLICE_BYTES || answers >= MAX_SLICE_ANSWERS) {
        endSlice();
        return;
      }
      answers++;
      waiting = true;
      answer(commands.get(slots.size()));
    }
    running = false;
    if (!waiting) {
      execution.onLocalCommandsDone();
    }
  }

  private void endSlice() {
    sliceBytes = 0;
    answers = 0;
    running = false;
    account.check();
    slices.start(this);
  }

  /** Continues in another slice. A closed client gets no reply, but all commands run. */
  @Override
  public boolean step() {
    if (client.isClosing()) {
      close();
    }
    run();
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    throw new IllegalStateException("failures are handled in run()", cause);
  }

  private void answer(Transaction.LocalRequest one) {
    Command command = reader.read(one.request());
    var captured = new Captured(command);
    byte[] error = one.error();
    if (error == null) {
      handler.answer(captured);
    } else {
      captured.begin(command.spec()).answer(error, Outcome.REJECTED);
    }
  }

  /** One of the commands, with its reply kept here. */
  private final class Captured implements IncomingRequest {

    private final Command command;

    Captured(Command command) {
      this.command = command;
    }

    @Override
    public Command command() {
      return command;
    }

    @Override
    public RequestFrame frame() {
      return command.frame();
    }

    @Override
    public SharedBuffer share() {
      return new SharedBuffer(command.frame().buffer());
    }

    @Override
    public ReplySlot begin(@Nullable CommandSpec spec) {
      ReplySlot slot = replies.capture(spec, LocalCommandRun.this::answered);
      slots.add(slot);
      account.addKeptOnHeap(ReplySlot.SIZE);
      return slot;
    }
  }

  private void answered(ReplySlot slot) {
    sliceBytes += slot.reply().readableBytes();
    if (!execution.addPending(slot.reply().readableBytes())) {
      slot.dropPending();
    }
    waiting = false;
    if (!running) {
      run();
    }
  }

  /** Returns the index of the {@code i}-th local command in the transaction. */
  int position(int i) {
    return commands.get(i).index();
  }

  int size() {
    return commands.size();
  }

  /** Returns the reply to the {@code i}-th command, which is borrowed. */
  ByteBuf reply(int i) {
    return slots.get(i).reply();
  }

  /** Drops all replies: they are not needed, nor are later ones. */
  void dropReplies() {
    for (int i = released; i < slots.size(); i++) {
      slots.get(i).dropPending();
    }
  }

  /** Releases the {@code i}-th reply, which is the next one. */
  void release(int i) {
    ReplySlot slot = slots.get(i);
    released = i + 1;
    slot.dropPending();
    account.addKeptOnHeap(-ReplySlot.SIZE);
    replies.release(slot);
  }

  /** Abandons the replies: they may not be reused. */
  void abandon() {
    for (int i = released; i < slots.size(); i++) {
      replies.abandon(slots.get(i));
    }
  }

  /** Releases the replies. */
  void close() {
    while (released < slots.size()) {
      release(released);
    }
  }
}
