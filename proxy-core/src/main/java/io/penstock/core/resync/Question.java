package io.penstock.core.resync;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.backend.Failure;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resync.Questions.ReplySink;
import io.penstock.core.side.Side;
import io.penstock.core.side.SideExchange;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A request of a job to one side. A sink takes the reply. Confined to the jobs' loop. */
final class Question<S extends ReplySink> extends SideExchange {

  private static final Logger log = LoggerFactory.getLogger(Question.class);

  private static final int LONGEST_ERROR = 200;

  /** Errors that say nothing about the request: the node, or another one, does it later. */
  private static final Set<String> NOT_NOW =
      Set.of("MOVED", "ASK", "TRYAGAIN", "CLUSTERDOWN", "LOADING", "MASTERDOWN", "BUSY");

  private final S sink;
  private final CompletableFuture<S> answer = new CompletableFuture<>();

  /**
   * @param affinity of the connection
   * @param deadlineNanos {@link System#nanoTime()} at which it fails
   */
  Question(
      Side side,
      CopyRequest request,
      ConnectionKey connections,
      int affinity,
      long deadlineNanos,
      S sink) {
    super(side);
    this.sink = sink;
    ByteBuf wire = Unpooled.buffer(request.size());
    request.write(wire);
    bytes(new SharedBuffer(wire), 0, wire.readableBytes());
    useConnections(connections);
    sendOptions(Protocol.RESP2, affinity, deadlineNanos);
  }

  /** Sets the partition that it reads. */
  Question<S> of(int partition) {
    targetPartition(partition);
    return this;
  }

  /**
   * Completes on the loop: with the sink, or with a {@link NoAnswerException} or an {@link
   * ErrorReplyException}.
   */
  CompletableFuture<S> answer() {
    return answer;
  }

  @Override
  protected void onAnswer(ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) == '-') {
      onError(buffer, from, to);
    } else {
      super.onAnswer(buffer, from, to);
    }
  }

  private void onError(ByteBuf buffer, int from, int to) {
    end();
    int length = Math.min(to - 2 - (from + 1), LONGEST_ERROR);
    String text = buffer.toString(from + 1, length, StandardCharsets.ISO_8859_1);
    int blank = text.indexOf(' ');
    boolean later = NOT_NOW.contains(blank < 0 ? text : text.substring(0, blank));
    answer.completeExceptionally(
        later ? new NoAnswerException(text) : new ErrorReplyException(text));
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    sink.add(buffer, from, to);
    if (last) {
      sink.end();
      end();
      answer.complete(sink);
    }
  }

  @Override
  public void onFailure(Failure failure) {
    end();
    String why =
        switch (failure) {
          case TIMEOUT -> "no answer in time";
          case CONNECTION_LOST -> "the connection was lost";
          case OVERLOADED -> "too many requests wait for the node";
          case NOT_SENT -> "no connection";
          case NO_OWNER, NO_REPLICA -> "no node serves the keys";
        };
    answer.completeExceptionally(new NoAnswerException(why));
  }

  @Override
  protected void logDefect(Throwable defect) {
    log.error("A reply could not be read", defect);
  }

  @Override
  protected void onDefect() {
    end();
    answer.completeExceptionally(new NoAnswerException("the reply could not be read"));
  }
}
