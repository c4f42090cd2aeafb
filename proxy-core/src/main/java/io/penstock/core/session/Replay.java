package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Has Penstock's own commands of a transaction answered, one after the other, when {@code EXEC} has
 * come to them. Their replies are kept until {@link #close}.
 */
final class Replay implements Sliced {

  /** After so many bytes of replies it is others' turn. */
  private static final int MUCH = 1024 * 1024;

  /** After so many answers as well. */
  private static final int MANY = Slices.STEPS / TurnShare.ANSWER;

  private final Session session;
  private final List<Transaction.Own> commands;
  private final Execution whole;
  private final List<Request> begun = new ArrayList<>();
  private int given; // of them, back to the loop
  private int answers; // since it was others' turn
  private long made; // bytes of replies since it was others' turn
  private boolean broken;
  private boolean running;
  private boolean waiting; // for the reply to the last one begun

  /**
   * @param whole told when all are answered
   */
  Replay(Session session, List<Transaction.Own> commands, Execution whole) {
    this.session = session;
    this.commands = commands;
    this.whole = whole;
  }

  /** Answers as many as can be answered at once. */
  void run() {
    if (broken) {
      return;
    }
    try {
      answerAll();
    } catch (Throwable e) { // whoever brought the last reply is another's business
      broken = true;
      dropReplies();
      forgo(); // one may be on its way yet
      whole.broke(e);
    }
  }

  private void answerAll() {
    running = true;
    while (!waiting && begun.size() < commands.size()) {
      if (made >= MUCH || answers >= MANY) {
        endSlice();
        return;
      }
      answers++;
      waiting = true;
      answer(commands.get(begun.size()).request());
    }
    running = false;
    if (!waiting) {
      whole.compose();
    }
  }

  private void endSlice() {
    made = 0;
    answers = 0;
    running = false;
    session.allowance().check();
    session.loop().slices().begin(this);
  }

  /** Another turn has come. A client that was closed gets no reply, but all commands run. */
  @Override
  public boolean goOn() {
    if (session.isGone()) {
      close();
    }
    run();
    return false;
  }

  @Override
  public void broke(Throwable cause) {
    throw new IllegalStateException("what fails is seen to at once", cause);
  }

  private void answer(byte[] bytes) {
    var scanner = new RequestScanner(session.loop().settings().limits());
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    scanner.scan(buffer, buffer.writerIndex());
    session
        .intake()
        .answer(this, new Command(session.loop().servers().commands(), scanner.frame()));
  }

  /** Takes on the request that one of the commands became. */
  void begin(Request request, @Nullable CommandSpec spec) {
    begun.add(request);
    session.allowance().bearsOnHeap(Request.SIZE);
    request.begin(session, spec, session.activity().lastBytesAt(), false);
    request.capture(() -> {
      made += request.reply().readableBytes();
      if (!whole.holds(request.reply().readableBytes())) {
        request.dropHeld();
      }
      waiting = false;
      if (!running) {
        run();
      }
    });
  }

  /** The place of the {@code i}-th command in the transaction. */
  int place(int i) {
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
      begun.get(i).dropHeld();
    }
  }

  /** The {@code i}-th reply, the next one, is not needed any more. */
  void given(int i) {
    Request request = begun.get(i);
    given = i + 1;
    request.dropHeld();
    session.allowance().bearsOnHeap(-Request.SIZE);
    session.loop().requests().give(request);
  }

  /** None of them may ever be given back. */
  void forgo() {
    for (int i = given; i < begun.size(); i++) {
      session.loop().requests().forgo(begun.get(i));
    }
  }

  /** Gives the replies back. */
  void close() {
    while (given < begun.size()) {
      given(given);
    }
  }
}
