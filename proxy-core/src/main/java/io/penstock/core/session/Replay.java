package io.penstock.core.session;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestScanner;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Has Penstock's own commands of a transaction answered, one after the other, when {@code EXEC} has
 * come to them. Their replies are kept until {@link #close}.
 */
final class Replay {

  private final Session session;
  private final List<Transaction.Own> commands;
  private final Runnable whenDone;
  private final List<Request> answered = new ArrayList<>();
  private boolean running;
  private boolean waiting; // for the reply to the last one begun

  /**
   * @param whenDone called when all are answered
   */
  Replay(Session session, List<Transaction.Own> commands, Runnable whenDone) {
    this.session = session;
    this.commands = commands;
    this.whenDone = whenDone;
  }

  /** Answers as many as can be answered at once. */
  void run() {
    running = true;
    while (!waiting && answered.size() < commands.size()) {
      waiting = true;
      answer(commands.get(answered.size()).request());
    }
    running = false;
    if (!waiting) {
      whenDone.run();
    }
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
    request.begin(session, spec, session.activity().lastBytesAt(), false);
    request.capture(
        () -> {
          answered.add(request);
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
    return answered.get(i).reply();
  }

  /** Gives the replies back. */
  void close() {
    for (Request request : answered) {
      request.dropHeld();
      session.loop().recycle(request);
    }
    answered.clear();
  }
}
