package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.penstock.core.backend.Failure;
import io.penstock.core.backend.HandshakeError;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.limit.Allowance;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscribeRequest;
import io.penstock.core.pubsub.UnsubscribeRequest;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.Iterator;
import org.jspecify.annotations.Nullable;

/**
 * One request that subscribes or unsubscribes. It may give a million names, so each step goes over
 * them in slices, and what is kept meanwhile is looked at after each slice. Confined to its loop.
 */
final class SubscriptionCall implements SubscribeRequest.Outcome {

  private static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";

  /** Bytes of names that make a slice, if they are not many. */
  private static final int LONG = 256 * 1024;

  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private final Loop loop;
  private final Subscriptions all;
  private final Kind kind;
  private final NameArguments given;
  private final ReplySlot request;
  private final Hub hub;
  private final Allowance allowance;
  private @Nullable SubscribeRequest joining; // of one that subscribes
  private @Nullable ByteBuf confirmations; // of this slice; all of them where they are captured
  private long joins; // bytes of names on the heap that are not the client's yet
  private boolean ended;

  /**
   * @param given goes over to this
   * @param request its place among the client's replies
   */
  SubscriptionCall(
      ClientContext context, Subscriptions all, Kind kind, NameArguments given, ReplySlot request) {
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.all = all;
    this.kind = kind;
    this.given = given;
    this.request = request;
    this.hub = all.hub();
    this.allowance = context.account();
    allowance.addKept(given.length());
  }

  boolean isCaptured() {
    return request.isCaptured();
  }

  /** A piece of work, and whether there is another. */
  @FunctionalInterface
  private interface Step {
    boolean go();
  }

  /** Repeats a step as long as it says so, then goes on; after each slice, {@code between}. */
  private void repeat(Step step, Runnable between, Runnable then) {
    loop.slices()
        .startNow(
            new Sliced() {
              @Override
              public boolean step() {
                return !ended && slice(step, between, then);
              }

              @Override
              public void onFailure(Throwable cause) {
                client.fail(cause);
              }
            });
  }

  private boolean slice(Step step, Runnable between, Runnable then) {
    long most = given.bytesRead() + LONG;
    for (int i = 0; i < Slices.LONG_STEPS_PER_SLICE && given.bytesRead() < most; i++) {
      if (!step.go()) {
        flushConfirmations();
        then.run();
        return false;
      }
    }
    flushConfirmations();
    between.run();
    allowance.check(); // may close the client, which ends this
    return !ended;
  }

  /** Whether shard channels may be on different nodes. */
  private boolean hasManyPartitions() {
    return nodes.placement().partitions() > 1;
  }

  void subscribe() {
    if (kind != Kind.SHARD || !hasManyPartitions()) {
      join();
      return;
    }
    whenOfOneSlot(this::join);
  }

  void unsubscribe() {
    if (kind != Kind.SHARD || !hasManyPartitions() || given.count() == 0) {
      leave();
      return;
    }
    whenOfOneSlot(this::leave);
  }

  /** In a cluster, shard channels of different partitions are on different nodes. */
  private void whenOfOneSlot(Runnable next) {
    int partition = hub.partitionOf(given.next());
    repeat(
        () -> given.hasNext() && hub.partitionOf(given.next()) == partition,
        () -> {},
        () -> {
          if (given.isLastIn(partition, hub)) {
            given.rewind();
            next.run();
          } else {
            end().answer(ErrorReplies.encode(CROSS_SLOT), Outcome.REJECTED);
          }
        });
  }

  private void join() {
    long deadline = loop.now() + nodes.retryWindowNanos();
    SubscribeRequest begun = hub.begin(all.messages(), kind, deadline, this);
    joining = begun;
    repeat(
        () -> {
          Name name = given.next();
          if (hub.add(begun, name)) {
            joins(SubscribedNames.sizeOf(name));
          }
          return given.hasNext();
        },
        hub::flush,
        () -> {
          given.rewind();
          hub.flush();
          hub.end(begun);
        });
  }

  private void joins(long bytes) {
    joins += bytes;
    allowance.addKeptOnHeap(bytes);
  }

  /** All names are listened to. */
  @Override
  public void onSubscribed() {
    SubscribeRequest whole = joining;
    if (ended || whole == null) {
      return;
    }
    all.messages().pause();
    repeat(
        () -> {
          Name name = hub.addSubscriber(whole, given.next());
          long before = all.size();
          all.names().add(kind, name, hub.isOnEveryMaster(kind, name));
          joins(-Math.min(joins, all.size() - before));
          confirm(kind.subscribe(), name);
          return given.hasNext();
        },
        () -> {},
        this::answer);
  }

  @Override
  public void onError(byte[] error) {
    end().answer(error, Outcome.ERROR);
  }

  @Override
  public void onFailure(Failure failure) {
    switch (failure) {
      case TIMEOUT -> end().answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case NO_OWNER -> end().answer(nodes.notServed(), Outcome.UNAVAILABLE);
      case NOT_SENT, CONNECTION_LOST, OVERLOADED ->
          end().answer(ErrorReplies.unavailable(refusal()), Outcome.UNAVAILABLE);
    }
  }

  /** By what the node does not let Penstock in, where only one can have been asked. */
  private @Nullable HandshakeError refusal() {
    boolean one = nodes.placement().shards().size() == 1;
    return one ? nodes.refusal(null) : null;
  }

  private void leave() {
    Iterator<Name> names = given.count() == 0 ? all.names().of(kind).iterator() : given;
    var leaving = new UnsubscribeRequest(this::left);
    repeat(
        () -> {
          if (names.hasNext()) {
            hub.removeSubscriber(all.messages(), kind, names.next());
          }
          return names.hasNext();
        },
        () -> hub.flush(leaving),
        () -> {
          hub.flush(leaving);
          leaving.completeOne();
        });
  }

  /** The nodes know of the end. */
  private void left() {
    if (ended) {
      return;
    }
    given.rewind();
    Iterator<Name> names = given.count() == 0 ? all.names().of(kind).iterator() : given;
    all.messages().pause();
    repeat(
        () -> {
          Name name = names.hasNext() ? names.next() : null;
          if (name != null) {
            all.names().remove(kind, name);
          }
          confirm(kind.unsubscribe(), name);
          return names.hasNext();
        },
        () -> {},
        this::answer);
  }

  private void confirm(String word, @Nullable Name name) {
    ByteBuf out = confirmations;
    if (out == null) {
      out = ByteBufAllocator.DEFAULT.directBuffer();
      confirmations = out;
    }
    all.confirm(out, kind, word, name);
  }

  /** Confirmations are given whatever the client has said about replies, as pushes are. */
  private void flushConfirmations() {
    ByteBuf out = confirmations;
    if (out != null && !isCaptured()) {
      confirmations = null;
      replies.output().appendOwned(out);
    }
  }

  private void answer() {
    ByteBuf captured = confirmations;
    confirmations = null;
    ReplySlot answered = end();
    if (captured == null) {
      answered.complete(Outcome.OK);
    } else {
      answered.deliverOwned(captured, Outcome.OK); // its place is in the reply to EXEC
    }
  }

  /** It is done with; its request is to be answered. */
  ReplySlot end() {
    ended = true;
    ByteBuf unused = confirmations;
    confirmations = null;
    if (unused != null) {
      unused.release();
    }
    allowance.addKept(-given.length());
    joins(-joins);
    given.release();
    all.onCallEnded();
    return request;
  }

  /** Nobody waits for its names to be listened to any more. */
  void cancel() {
    SubscribeRequest begun = joining;
    if (begun != null) {
      joining = null;
      hub.cancel(begun);
    }
  }
}
