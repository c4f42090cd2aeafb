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
import io.penstock.core.pubsub.AwaitedReplies;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.SubscribeRequest;
import io.penstock.core.reply.ErrorReplies;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One request that subscribes or unsubscribes. It may contain a million names, so each step runs in
 * slices, and the client's memory is checked after each slice. Confined to its loop.
 */
final class SubscriptionCall implements SubscribeRequest.Callback {

  private static final String CROSS_SLOT = "CROSSSLOT Keys in request don't hash to the same slot";

  private static final String MANY_PATTERNS = "ERR max number of patterns reached: ";

  /** Bytes of names in a slice at most, about. */
  private static final int MAX_SLICE_BYTES = 256 * 1024;

  private final ClientContext context;
  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private final Loop loop;
  private final ClientSubscriptions subscriptions;
  private final Kind kind;
  private final NameArguments given;
  private final ReplySlot request;
  private final Hub hub;
  private final Allowance allowance;
  private @Nullable SubscribeRequest subscribing; // of a request that subscribes
  private @Nullable KeptMessages kept; // until the requests before this one are answered
  private @Nullable List<Name> all; // to unsubscribe from, if the request has no names
  private @Nullable ByteBuf confirmations; // of this slice, or all of them in a transaction
  private int newPatterns; // of this request
  private @Nullable SubscriptionCall next; // sent already, and answered behind this one
  private boolean subscribed; // at the nodes
  private boolean unsubscribes;
  private boolean confirming;
  private long pendingBytes; // bytes on the heap of names that the client does not own yet
  private boolean ended;

  /**
   * @param given takes ownership
   * @param request place of the reply
   */
  SubscriptionCall(
      ClientContext context,
      ClientSubscriptions subscriptions,
      Kind kind,
      NameArguments given,
      ReplySlot request) {
    this.context = context;
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.loop = context.loop();
    this.subscriptions = subscriptions;
    this.kind = kind;
    this.given = given;
    this.request = request;
    this.hub = subscriptions.hub();
    this.allowance = context.account();
    allowance.addKept(given.length());
  }

  /** Whether the request is in a transaction: its confirmations are a part of EXEC's reply. */
  boolean isCaptured() {
    return request.isCaptured();
  }

  /** Whether another request for channels may begin before this one is answered. */
  boolean mayBeFollowed() {
    return kind == Kind.CHANNEL && !isCaptured();
  }

  /** Returns the request behind this one that is sent already; null if there is none. */
  @Nullable SubscriptionCall next() {
    return next;
  }

  void setNext(@Nullable SubscriptionCall call) {
    next = call;
  }

  /** A piece of work; returns whether there is more. */
  @FunctionalInterface
  private interface Work {
    boolean step();
  }

  /**
   * Repeats {@code step} while it returns true, then runs {@code then}. Runs {@code between} after
   * each slice.
   */
  private void repeat(Work work, Runnable between, Runnable then) {
    loop.slices()
        .startInTurn(
            new Sliced() {
              @Override
              public boolean step() {
                return !ended && slice(work, between, then);
              }

              @Override
              public void onFailure(Throwable cause) {
                client.fail(cause);
              }
            },
            given.count() > 0 ? given.count() : subscriptions.count(kind));
  }

  /** Continues after replies of nodes, for which other clients may wait too. */
  private void goOn(Runnable next) {
    try {
      if (!ended) {
        next.run();
      }
    } catch (Throwable e) { // must not fail for the others or close the connection to the node
      client.fail(e);
    }
  }

  private boolean slice(Work work, Runnable between, Runnable then) {
    long most = given.bytesRead() + MAX_SLICE_BYTES;
    for (int i = 0; i < Slices.LONG_STEPS_PER_SLICE && given.bytesRead() < most; i++) {
      if (!work.step()) {
        flushConfirmations();
        then.run();
        return false;
      }
    }
    flushConfirmations();
    between.run();
    allowance.check(); // may close the client, which ends this call
    return !ended;
  }

  void subscribe() {
    if (kind != Kind.SHARD || !nodes.placement().isDivided()) {
      startSubscribe();
      return;
    }
    whenOfOneSlot(this::startSubscribe);
  }

  void unsubscribe() {
    unsubscribes = true;
    if (kind != Kind.SHARD || !nodes.placement().isDivided() || given.count() == 0) {
      unsubscribeIfCurrent();
      return;
    }
    whenOfOneSlot(this::unsubscribeIfCurrent);
  }

  /**
   * Runs {@code next} if all names are in one partition. In a cluster, shard channels of different
   * partitions are on different nodes.
   */
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

  private void startSubscribe() {
    if (kind == Kind.PATTERN && given.count() > allowance.maxPatterns()) {
      rejectTooMany();
      return;
    }
    long deadline = loop.now() + nodes.retryWindowNanos();
    SubscribeRequest subscribe = hub.begin(subscriptions.messages(), kind, deadline, this);
    subscribing = subscribe;
    repeat(
        () -> {
          addName(subscribe, given.next());
          return !ended && given.hasNext();
        },
        hub::flush,
        () -> {
          if (!ended) {
            given.rewind();
            hub.flush();
            hub.end(subscribe);
          }
        });
  }

  private void addName(SubscribeRequest subscribe, Name name) {
    if (!hub.hasRoomFor(kind, name)) {
      reject(ErrorReplies.TOO_MANY_PATTERNS, Outcome.OVERLOADED);
    } else if (hub.add(subscribe, name) && !ended) {
      addPendingBytes(SubscribedNames.sizeOf(name));
      if (kind == Kind.PATTERN && !subscriptions.names().contains(kind, name)) {
        newPatterns++;
      }
      if (newPatterns > 0 && subscriptions.count(kind) + newPatterns > allowance.maxPatterns()) {
        rejectTooMany();
      }
    }
  }

  private void rejectTooMany() {
    reject(ErrorReplies.encode(MANY_PATTERNS + allowance.maxPatterns()), Outcome.REJECTED);
  }

  private void reject(byte[] error, Outcome outcome) {
    cancel();
    end().answer(error, outcome);
  }

  private void addPendingBytes(long bytes) {
    pendingBytes += bytes;
    allowance.addKeptOnHeap(bytes);
  }

  /** All names are subscribed to at the nodes. */
  @Override
  public void onSubscribed() {
    subscribed = true;
    SubscribeRequest subscribe = subscribing;
    if (subscribe != null
        && !subscriptions.isCurrent(this)
        && given.count() <= EarlySubscriptions.MOST_NAMES) {
      goOn(() -> keepMessages(subscribe));
    }
    confirmIfCurrent();
  }

  /** The client gets the messages behind its confirmation. */
  private void keepMessages(SubscribeRequest subscribe) {
    KeptMessages messages = kept == null ? new KeptMessages(context, hub) : kept;
    kept = messages;
    while (given.hasNext()) {
      Name known = hub.addInPlaceOfClient(messages, subscribe, given.next());
      if (known != null) {
        messages.begin(kind, known);
      }
    }
    given.rewind();
  }

  /** The client is not subscribed any more to some names, which this request may have, too. */
  private void keepMore() {
    SubscribeRequest subscribe = subscribing;
    if (kept != null && subscribe != null) {
      goOn(() -> keepMessages(subscribe));
    }
  }

  /** The request before this one was answered. */
  void goOnIfCurrent() {
    if (unsubscribes) {
      goOn(this::unsubscribeIfCurrent);
    } else {
      confirmIfCurrent();
    }
  }

  /** Unsubscribes, unless requests before this one are not answered yet. */
  private void unsubscribeIfCurrent() {
    if (subscriptions.isCurrent(this)) {
      startUnsubscribe();
    }
  }

  /** Confirms the subscriptions, unless requests before this one are not answered yet. */
  private void confirmIfCurrent() {
    SubscribeRequest subscribe = subscribing;
    if (subscribed && !confirming && subscribe != null && subscriptions.isCurrent(this)) {
      confirming = true;
      goOn(() -> addNames(subscribe));
    }
  }

  private void addNames(SubscribeRequest subscribe) {
    subscriptions.messages().pause();
    repeat(
        () -> {
          Name name = hub.addSubscriber(subscribe, given.next());
          long before = subscriptions.size();
          subscriptions.names().add(kind, name, hub.isOnEveryMaster(kind, name));
          handOver(name);
          addPendingBytes(-Math.min(pendingBytes, subscriptions.size() - before));
          confirm(kind.subscribe(), name);
          return given.hasNext();
        },
        () -> {},
        this::answer);
  }

  private void handOver(Name name) {
    if (kept != null) {
      kept.handOver(kind, name, subscriptions.messages());
    }
    subscriptions.handOver(kind, name);
  }

  @Override
  public void onError(byte[] error) {
    end().answer(error, Outcome.ERROR);
  }

  @Override
  public void onRefused(HandshakeError error) {
    end().answer(ErrorReplies.unavailable(error), Outcome.UNAVAILABLE);
  }

  @Override
  public void onFailure(Failure failure) {
    switch (failure) {
      case TIMEOUT -> end().answer(ErrorReplies.TIMEOUT_READ, Outcome.TIMEOUT);
      case NO_OWNER, NO_REPLICA -> end().answer(nodes.notServed(), Outcome.UNAVAILABLE);
      case NOT_SENT, CONNECTION_LOST, OVERLOADED ->
          end().answer(ErrorReplies.unavailable(handshakeError()), Outcome.UNAVAILABLE);
    }
  }

  /**
   * The handshake error of the node, if there is only one node that the request can have gone to.
   */
  private @Nullable HandshakeError handshakeError() {
    boolean one = nodes.placement().shards().size() == 1;
    return one ? nodes.handshakeError(null) : null;
  }

  /** Messages that nodes have sent by now are delivered before the subscriptions end. */
  private void startUnsubscribe() {
    Iterator<Name> names = namesToRemove();
    var earlierMessages = new AwaitedReplies(() -> goOn(this::removeNames));
    repeat(
        () -> {
          Name name = names.hasNext() ? names.next() : null;
          if (name != null && subscriptions.names().contains(kind, name)) {
            hub.awaitEarlierMessages(kind, name, earlierMessages);
          }
          return names.hasNext();
        },
        hub::flush,
        () -> {
          hub.flush();
          earlierMessages.completeOne();
        });
  }

  /** The names of the request, or all that the client is subscribed to. */
  private Iterator<Name> namesToRemove() {
    given.rewind();
    if (given.count() > 0) {
      return given;
    }
    List<Name> names = all;
    if (names == null) {
      names = subscriptions.names().of(kind);
      all = names;
    }
    return names.iterator();
  }

  private void removeNames() {
    Iterator<Name> names = namesToRemove();
    var unsubscribing = new AwaitedReplies(() -> goOn(this::onUnsubscribed));
    repeat(
        () -> {
          if (names.hasNext()) {
            hub.removeSubscriber(subscriptions.messages(), kind, names.next());
          }
          return names.hasNext();
        },
        () -> hub.flush(unsubscribing),
        () -> {
          for (SubscriptionCall later = next; later != null; later = later.next) {
            later.keepMore();
          }
          hub.flush(unsubscribing);
          unsubscribing.completeOne();
        });
  }

  /** The nodes have confirmed the end of the subscriptions. */
  private void onUnsubscribed() {
    Iterator<Name> names = namesToRemove();
    subscriptions.messages().pause();
    repeat(
        () -> {
          Name name = names.hasNext() ? names.next() : null;
          if (name != null) {
            subscriptions.names().remove(kind, name);
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
    subscriptions.confirm(out, kind, word, name);
  }

  /**
   * Confirmations, like pushes, are written even after {@code CLIENT REPLY OFF} or {@code SKIP}.
   */
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
      answered.deliverOwned(captured, Outcome.OK); // it is an element of the reply to EXEC
    }
  }

  /** Ends the call and returns the place of its reply, which the caller completes. */
  ReplySlot end() {
    ended = true;
    ByteBuf unused = confirmations;
    confirmations = null;
    if (unused != null) {
      unused.release();
    }
    allowance.addKept(-given.length());
    addPendingBytes(-pendingBytes);
    dropKept();
    given.release();
    subscriptions.onCallEnded(this);
    return request;
  }

  /** Cancels the pending request to subscribe. */
  void cancel() {
    SubscribeRequest subscribe = subscribing;
    if (subscribe != null) {
      subscribing = null;
      hub.cancel(subscribe);
    }
    dropKept();
  }

  private void dropKept() {
    KeptMessages messages = kept;
    if (messages != null) {
      kept = null;
      messages.close();
      hub.flush();
    }
  }
}
