package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.ChannelPrefix;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.Command;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.spec.LocalCommand;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of one client that has sent a request to subscribe or unsubscribe. Such a
 * request is handled when all requests before it have been answered, and answered before any behind
 * it is handled, so that it takes effect between them as on a server. Only requests that subscribe
 * to channels or unsubscribe from them may follow each other at once: all of them that subscribe
 * are sent to the nodes, and they are answered one after the other. Confined to the client's loop.
 */
public final class ClientSubscriptions implements Subscriptions {

  private static final Set<LocalCommand> CHANGE_PROTOCOL =
      EnumSet.of(LocalCommand.HELLO, LocalCommand.RESET, LocalCommand.QUIT);

  private final ClientContext context;
  private final SubscribeLoop subscribeLoop;
  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private MessageOutput messages;
  private SubscribedNames names;
  private @Nullable SubscriptionCall currentCall; // the request that subscribes or unsubscribes now
  private @Nullable SubscriptionCall lastCall; // the current one, or the last that is sent already
  private int calls; // from the current to the last
  private @Nullable EarlySubscriptions early; // of the transaction that runs now

  ClientSubscriptions(ClientContext context, SubscribeLoop subscribeLoop) {
    this(
        context,
        subscribeLoop,
        new MessageOutput(context, subscribeLoop.counters()),
        new SubscribedNames());
  }

  private ClientSubscriptions(
      ClientContext context,
      SubscribeLoop subscribeLoop,
      MessageOutput messages,
      SubscribedNames names) {
    this.context = context;
    this.subscribeLoop = subscribeLoop;
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.messages = messages;
    this.names = names;
  }

  @Override
  public ClientSubscriptions open(ClientContext same, SubscribeLoop sameLoop) {
    return this;
  }

  @Override
  public boolean mayChangeTo(SubscribeLoop other) {
    return other.hub() == hub()
        || (isEmpty() && currentCall == null && messages.bufferedBytes() == 0);
  }

  /** With another hub the client has nothing here: its next request opens them anew. */
  @Override
  public Subscriptions changedTo(ClientContext other, SubscribeLoop otherLoop) {
    return otherLoop.hub() == hub()
        ? new ClientSubscriptions(other, otherLoop, messages, names)
        : NONE;
  }

  @Override
  public boolean isSubscriber() {
    return !isEmpty();
  }

  /** The hub of the loop. */
  Hub hub() {
    return subscribeLoop.hub();
  }

  @Override
  public boolean allMatch(NameTest test) {
    for (Kind kind : Kind.values()) {
      for (Name name : names.of(kind)) {
        if (!test.test(name.toString(), kind == Kind.PATTERN)) {
          return false;
        }
      }
    }
    return true;
  }

  @Override
  public int count(Kind kind) {
    return names.count(kind);
  }

  @Override
  public long size() {
    return names.size(nodes.placement().shards().size());
  }

  MessageOutput messages() {
    return messages;
  }

  @Override
  public long bufferedBytes() {
    return messages.bufferedBytes();
  }

  @Override
  public void onReplyEnded() {
    messages.onReplyEnd();
  }

  @Override
  public void releaseMessages(long requestNumber) {
    messages.writeAfter(requestNumber);
  }

  @Override
  public void discardMessages() {
    messages.discard();
  }

  private boolean isEmpty() {
    return names.isEmpty();
  }

  @Override
  public boolean isRestricted() {
    return !isEmpty() && client.protocol() == Protocol.RESP2;
  }

  @Override
  public boolean mustWait(RoutePlan plan) {
    if (currentCall != null) {
      return !mayJoin(plan);
    }
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && CHANGE_PROTOCOL.contains(which)
        && (!isEmpty() || messages.bufferedBytes() > 0)
        && !replies.isEmpty();
  }

  private boolean mayJoin(RoutePlan plan) {
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && (which == LocalCommand.SUBSCRIBE || which == LocalCommand.UNSUBSCRIBE)
        && lastCall != null
        && lastCall.mayBeFollowed();
  }

  @Override
  public int unansweredCalls() {
    return calls;
  }

  @Override
  public void beforeProtocolChange() {
    messages.writeBuffered();
  }

  /**
   * Handles a request that subscribes or unsubscribes; all earlier requests are answered, or
   * concern the subscriptions to channels as this one.
   */
  public void answer(CommandSpec spec, LocalCommand which, IncomingRequest request) {
    switch (which) {
      case SUBSCRIBE -> begin(spec, Kind.CHANNEL, request).subscribe();
      case PSUBSCRIBE -> begin(spec, Kind.PATTERN, request).subscribe();
      case SSUBSCRIBE -> begin(spec, Kind.SHARD, request).subscribe();
      case UNSUBSCRIBE -> begin(spec, Kind.CHANNEL, request).unsubscribe();
      case PUNSUBSCRIBE -> begin(spec, Kind.PATTERN, request).unsubscribe();
      case SUNSUBSCRIBE -> begin(spec, Kind.SHARD, request).unsubscribe();
      default -> throw new IllegalArgumentException(which + " does not subscribe");
    }
  }

  private SubscriptionCall begin(CommandSpec spec, Kind kind, IncomingRequest request) {
    if (currentCall == null) {
      messages.writeIfPossible(); // no earlier message is written behind the confirmation
    }
    ReplySlot place = request.begin(spec);
    var given = new NameArguments(request.share(), request.frame());
    var call = new SubscriptionCall(context, this, kind, given, place);
    SubscriptionCall before = lastCall;
    if (before == null) {
      currentCall = call;
    } else {
      before.setNext(call);
    }
    lastCall = call;
    calls++;
    return call;
  }

  /**
   * Subscribes to what the calls in a transaction will subscribe to, before its commands run.
   *
   * @param calls of {@code SUBSCRIBE} and {@code PSUBSCRIBE}
   * @param then runs the commands; later, or before this method returns
   */
  public void beginEarly(List<Command> calls, Runnable then) {
    Map<Kind, Set<Name>> wanted = new EnumMap<>(Kind.class);
    for (Command call : calls) {
      if (call.spec() != null
          && call.spec().handling() instanceof Handling.Local(LocalCommand which)) {
        addNames(call, which == LocalCommand.SUBSCRIBE ? Kind.CHANNEL : Kind.PATTERN, wanted);
      }
    }
    wanted.values().removeIf(Set::isEmpty);
    int patterns = wanted.getOrDefault(Kind.PATTERN, Set.of()).size();
    boolean tooMany =
        wanted.values().stream().mapToInt(Set::size).sum() > EarlySubscriptions.MOST_NAMES
            || count(Kind.PATTERN) + patterns > context.account().maxPatterns();
    if (wanted.isEmpty() || tooMany) {
      then.run();
      return;
    }
    early = new EarlySubscriptions(context, hub());
    early.begin(wanted, context.loop().now() + nodes.retryWindowNanos(), then);
  }

  private void addNames(Command call, Kind kind, Map<Kind, Set<Name>> wanted) {
    RequestFrame frame = call.frame();
    Set<Name> ofKind = wanted.computeIfAbsent(kind, _ -> new LinkedHashSet<>());
    for (int i = 1; i < frame.argc() && ofKind.size() <= EarlySubscriptions.MOST_NAMES; i++) {
      Name name = Name.copy(frame.buffer(), frame.offset(i), frame.length(i));
      if (!names.contains(kind, name) && hub().hasRoomFor(kind, name)) {
        ofKind.add(name);
      }
    }
  }

  /** The client is subscribed to a name: passes on what was kept for it. */
  void handOver(Kind kind, Name name) {
    if (early != null) {
      early.handOver(kind, name, messages);
    }
  }

  @Override
  public void onTransactionEnd() {
    EarlySubscriptions ended = early;
    if (ended != null) {
      early = null;
      ended.close();
    }
  }

  /** Whether all requests before this one are answered. */
  boolean isCurrent(SubscriptionCall call) {
    return currentCall == call;
  }

  /** A request that subscribes or unsubscribes has ended. */
  void onCallEnded(SubscriptionCall call) {
    calls--;
    SubscriptionCall next = call.next();
    if (call != currentCall) {
      unlink(call, next);
      return;
    }
    currentCall = next;
    if (next == null) {
      lastCall = null;
    } else {
      context.loop().executor().execute(next::goOnIfCurrent); // behind the reply to this one
    }
    messages.resume();
  }

  private void unlink(SubscriptionCall call, @Nullable SubscriptionCall next) {
    SubscriptionCall before = currentCall;
    while (before != null && before.next() != call) {
      before = before.next();
    }
    if (before != null) {
      before.setNext(next);
      lastCall = next == null ? before : lastCall;
    }
  }

  SubscribedNames names() {
    return names;
  }

  /** Writes the confirmation for one name, or for null if there was none to unsubscribe from. */
  void confirm(ByteBuf out, Kind kind, String word, @Nullable Name name) {
    var writer = new ReplyWriter(out, client.protocol());
    writer.push(3);
    writer.bulk(word);
    if (name == null) {
      writer.nil();
    } else {
      writer.bulk(shown(kind, name));
    }
    boolean shard = kind == Kind.SHARD;
    writer.integer(shard ? count(kind) : count(Kind.CHANNEL) + count(Kind.PATTERN));
  }

  private String shown(Kind kind, Name name) {
    ChannelPrefix hidden = client.channelPrefix();
    if (hidden == null) {
      return name.toString();
    }
    return name.without(kind == Kind.PATTERN ? hidden.pattern() : hidden.channel());
  }

  @Override
  public void reset() {
    unsubscribeAll();
    messages.writeBuffered();
    messages = new MessageOutput(context, subscribeLoop.counters());
  }

  /** Ends all subscriptions without confirmations, as {@code RESET} and a closed connection do. */
  private void unsubscribeAll() {
    messages.end();
    for (SubscriptionCall call = currentCall; call != null; call = call.next()) {
      call.cancel();
    }
    if (!names.isEmpty()) {
      SubscribedNames ended = names;
      long size = size();
      names = new SubscribedNames();
      new SubscriptionRemoval(subscribeLoop, messages, ended, size).run(context.loop().slices());
    }
  }

  @Override
  public void drain() {
    unsubscribeAll();
    messages.writeIfPossible();
    while (currentCall != null && !currentCall.isCaptured()) {
      currentCall.end().complete(Outcome.REJECTED);
    }
  }

  @Override
  public void close() {
    unsubscribeAll();
    onTransactionEnd();
    messages.discard();
    while (currentCall != null) {
      currentCall.end().complete(Outcome.REJECTED); // no confirmation follows
    }
  }
}
