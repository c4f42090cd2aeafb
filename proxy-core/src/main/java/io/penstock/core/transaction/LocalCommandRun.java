package io.penstock.core.transaction;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.RequestReader;
import io.penstock.core.client.TurnBudget;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Has Penstock's own commands of a transaction answered, one after the other, when {@code EXEC} has
 * come to them. Their replies are kept until {@link #close}.
 */
final class LocalCommandRun implements Sliced {

  /** After so many bytes of replies it is others' turn. */
  private static final int MAX_SLICE_BYTES = 1024 * 1024;

  /** After so many answers as well. */
  private static final int MAX_SLICE_ANSWERS = Slices.STEPS_PER_SLICE / TurnBudget.LOCAL_REPLY;

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final RequestReader reader;
  private final Slices slices;
  private final LocalCommandHandler handlers;
  private final List<Transaction.Own> commands;
  private final Execution execution;
  private final List<ReplySlot> begun = new ArrayList<>();
  private int given; // of them, back to the loop
  private int answers; // since it was others' turn
  private long made; // bytes of replies since it was others' turn
  private boolean failed;
  private boolean running;
  private boolean waiting; // for the reply to the last one begun

  /**
   * @param whole told when all are answered
   */
  LocalCommandRun(TransactionContext made, List<Transaction.Own> commands, Execution whole) {
    ClientContext context = made.clientContext();
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.reader = context.reader();
    this.slices = context.loop().slices();
    this.handlers = made.localCommands();
    this.commands = commands;
    this.execution = whole;
  }

  /** Answers as many as can be answered at once. */
  void run() {
    if (failed) {
      return;
    }
    try {
      answerAll();
    } catch (Throwable e) { // whoever brought the last reply is another's business
      failed = true;
      dropReplies();
      abandon(); // one may be on its way yet
      execution.onInternalError(e);
    }
  }

  private void answerAll() {
    running = true;
    while (!waiting && begun.size() < commands.size()) {
      if (made >= MAX_SLICE_BYTES || answers >= MAX_SLICE_ANSWERS) {
        endSlice();
        return;
      }
      answers++;
      waiting = true;
      answer(commands.get(begun.size()).request());
    }
    running = false;
    if (!waiting) {
      execution.onLocalCommandsDone();
    }
  }

  private void endSlice() {
    made = 0;
    answers = 0;
    running = false;
    account.check();
    slices.start(this);
  }

  /** Another turn has come. A client that was closed gets no reply, but all commands run. */
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
    throw new IllegalStateException("what fails is seen to at once", cause);
  }

  private void answer(byte[] bytes) {
    Command command = reader.command(TimeoutArgument.parse(bytes, reader.limits()));
    command.resolve();
    handlers.answer(new Captured(command));
  }

  /** One of the commands, whose reply is kept here. */
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
      ReplySlot place = replies.capture(spec, LocalCommandRun.this::answered);
      begun.add(place);
      account.addKeptOnHeap(ReplySlot.SIZE);
      return place;
    }
  }

  private void answered(ReplySlot place) {
    made += place.reply().readableBytes();
    if (!execution.addPending(place.reply().readableBytes())) {
      place.dropPending();
    }
    waiting = false;
    if (!running) {
      run();
    }
  }

  /** The place of the {@code i}-th command in the transaction. */
  int position(int i) {
    return commands.get(i).place();
  }

  int size() {
    return commands.size();
  }

  /** The reply to the {@code i}-th command; borrowed. */
  ByteBuf reply(int i) {
    return begun.get(i).reply();
  }

  /** They are not wanted any more, nor are those yet to come. */
  void dropReplies() {
    for (int i = given; i < begun.size(); i++) {
      begun.get(i).dropPending();
    }
  }

  /** The {@code i}-th reply, the next one, is not needed any more. */
  void given(int i) {
    ReplySlot request = begun.get(i);
    given = i + 1;
    request.dropPending();
    account.addKeptOnHeap(-ReplySlot.SIZE);
    replies.release(request);
  }

  /** None of them may ever be given back. */
  void abandon() {
    for (int i = given; i < begun.size(); i++) {
      replies.abandon(begun.get(i));
    }
  }

  /** Gives the replies back. */
  void close() {
    while (given < begun.size()) {
      given(given);
    }
  }
}
