package io.penstock.core.blocking;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.backend.Failure;
import io.penstock.core.client.Client;
import io.penstock.core.client.Nodes;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.WireRequest;
import io.penstock.core.retry.RetryableError;
import io.penstock.core.retry.RetryableErrors;
import io.penstock.core.spec.Handling;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts back what a node popped for a client that had disconnected before: where it was taken from,
 * so that the next client gets it. Retried until the command timeout.
 */
public final class UndoPop extends PlacedExchange {

  private static final Logger log = LoggerFactory.getLogger(UndoPop.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

  private final Client client;
  private final Nodes nodes;
  private final Loop loop;
  private final RetryableErrors retryableErrors;
  private final int partition;
  private final byte[] request;
  private final long deadline;
  private final Runnable then;

  private UndoPop(BlockingContext context, int partition, byte[] request, Runnable then) {
    this.then = then;
    this.client = context.clientContext().client();
    this.nodes = context.clientContext().nodes();
    this.loop = context.clientContext().loop();
    this.retryableErrors = context.retryableErrors();
    this.partition = partition;
    this.request = request;
    this.deadline = loop.tick() + nodes.commandTimeoutNanos();
    useConnections(client.connections()); // the client may select another database meanwhile
  }

  /**
   * Sends the request that undoes a call, if there is one.
   *
   * @param then runs when it has run, or may have
   */
  public static void start(
      BlockingContext context, int partition, List<String> inverse, Runnable then) {
    if (!inverse.isEmpty()) {
      new UndoPop(context, partition, WireRequest.of(inverse), then).send();
    }
  }

  /**
   * Returns the request that undoes a call; empty if the call loses nothing.
   *
   * @param call the request; borrowed
   * @param reply its whole reply, neither an error nor nil; borrowed
   */
  public static List<String> inverse(
      Handling.Blocking.Undo undo, RequestFrame call, ByteBuf reply) {
    return switch (undo) {
      case NOTHING -> List.of();
      case LPUSH, RPUSH -> push(undo.name(), ReplyStrings.of(reply));
      case PUSH -> push(isLeft(call) ? "LPUSH" : "RPUSH", ReplyStrings.of(reply));
      case ZADD -> add(ReplyStrings.of(reply));
    };
  }

  /** {@code BLMPOP timeout numkeys key … LEFT|RIGHT}. */
  private static boolean isLeft(RequestFrame call) {
    int where = 3 + Integer.parseInt(call.text(2));
    return call.text(where).equalsIgnoreCase("left");
  }

  /** The element that was popped last must be pushed first. */
  private static List<String> push(String how, List<String> keyAndElements) {
    List<String> request = new ArrayList<>(List.of(how, keyAndElements.getFirst()));
    List<String> elements = new ArrayList<>(keyAndElements.subList(1, keyAndElements.size()));
    Collections.reverse(elements);
    request.addAll(elements);
    return request;
  }

  private static List<String> add(List<String> keyMembersAndScores) {
    List<String> request = new ArrayList<>(List.of("ZADD", keyMembersAndScores.getFirst()));
    for (int i = 1; i + 1 < keyMembersAndScores.size(); i += 2) {
      request.add(keyMembersAndScores.get(i + 1));
      request.add(keyMembersAndScores.get(i));
    }
    return request;
  }

  private void send() {
    prepare();
    nodes.dispatch(this);
  }

  private void prepare() {
    bytes(new SharedBuffer(Unpooled.wrappedBuffer(request)), 0, request.length);
    targetPartition(partition);
    sendOptions(client.protocol(), client.affinity(), deadline);
  }

  @Override
  public void onReply(ByteBuf buffer, int from, int to) {
    releaseBytes();
    if (buffer.getByte(from) != '-') {
      then.run();
      return;
    }
    RetryableError error = retryableErrors.parse(this, Scope.KEYS, buffer, from, to);
    if (error == null) {
      logLost(buffer.toString(from, to - from, StandardCharsets.ISO_8859_1).strip());
      return;
    }
    retryableErrors.applyToTopology(error);
    Endpoint target = error.target();
    if (error.isAsk() && target != null) {
      prepare();
      nodes.dispatchTo(target, this, true);
    } else {
      retry();
    }
  }

  private void retry() {
    if (loop.tick() - deadline >= 0) {
      logLost("command timeout");
    } else {
      loop.executor().schedule(this::send, RETRY_NANOS, TimeUnit.NANOSECONDS);
    }
  }

  private void logLost(String why) {
    log.warn(
        "{}Could not put back what a node popped for a disconnected client: {}",
        nodes.logPrefix(),
        why);
  }

  @Override
  public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {
    throw new IllegalStateException("an integer reply came in parts");
  }

  @Override
  public void onFailure(Failure failure) {
    releaseBytes();
    if (failure == Failure.CONNECTION_LOST || failure == Failure.TIMEOUT) {
      logLost("outcome unknown: " + failure);
      then.run();
    } else {
      retry();
    }
  }
}
