package io.penstock.core.subscribe;

import io.netty.buffer.ByteBuf;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.Handling;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.Protocol;
import io.penstock.core.resp.ReplyWriter;
import io.penstock.core.route.RoutePlan;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What one client has subscribed to. A request that subscribes or unsubscribes is taken up when
 * those before it have been answered and is answered before those behind it are taken up, so that
 * it takes effect between them as on a server. Confined to the client's loop.
 */
public final class Subscriptions {

  private static final Set<LocalCommand> ALSO_PERMITTED =
      EnumSet.of(LocalCommand.PING, LocalCommand.QUIT, LocalCommand.RESET);

  private static final Set<LocalCommand> CHANGE_ALL =
      EnumSet.of(LocalCommand.HELLO, LocalCommand.RESET, LocalCommand.QUIT);

  private final ClientContext context;
  private final SubscribeSite site;
  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private MessageOutput messages;
  private SubscribedNames names = new SubscribedNames();
  private @Nullable SubscriptionCall answering; // what subscribes or unsubscribes just now

  public Subscriptions(ClientContext context, SubscribeSite site) {
    this.context = context;
    this.site = site;
    this.client = context.client();
    this.replies = context.replies();
    this.nodes = context.nodes();
    this.messages = new MessageOutput(context, site.counters());
  }

  /** Whether the client listens to anything. */
  public boolean isSubscriber() {
    return !isEmpty();
  }

  /** Where clients of the loop listen. */
  Hub hub() {
    return site.hub();
  }

  public int count(Kind kind) {
    return names.count(kind);
  }

  /** Bytes that the names take, about. */
  public long size() {
    return names.size(nodes.placement().shards().size());
  }

  public MessageOutput messages() {
    return messages;
  }

  private boolean isEmpty() {
    return names.isEmpty();
  }

  /** Whether a request may only be one that subscribers may send. */
  public boolean isRestricted() {
    return !isEmpty() && client.protocol() == Protocol.RESP2;
  }

  /** Whether a subscriber that speaks RESP2 may ask for it. */
  public static boolean permits(CommandSpec spec) {
    return spec.handling() instanceof Handling.Local(LocalCommand which)
        && (which.area() == LocalCommand.Area.SUBSCRIPTION || ALSO_PERMITTED.contains(which));
  }

  /**
   * Whether a request must wait: for the one that subscribes or unsubscribes just now, or, where it
   * changes how messages are given, for all before it. Messages may be left of what a client has
   * listened to before.
   */
  public boolean mustWait(RoutePlan plan) {
    if (answering != null) {
      return true;
    }
    return plan instanceof RoutePlan.Local(_, LocalCommand which)
        && CHANGE_ALL.contains(which)
        && (!isEmpty() || messages.bufferedBytes() > 0)
        && !replies.isEmpty();
  }

  /** What is before a change of how messages are given goes first. */
  public void beforeProtocolChange() {
    messages.writeBuffered();
  }

  /** Takes up a request that subscribes or unsubscribes; none is unanswered. */
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
    messages.writeIfPossible(); // no message of before comes behind the confirmation
    ReplySlot place = request.begin(spec);
    var given = new NameArguments(request.share(), request.frame());
    var call = new SubscriptionCall(context, this, kind, given, place);
    answering = call;
    return call;
  }

  /** The request that subscribes or unsubscribes is done with. */
  void onCallEnded() {
    answering = null;
    messages.resume();
  }

  SubscribedNames names() {
    return names;
  }

  /** Writes what is told of one name; null where there was none to unsubscribe from. */
  void confirm(ByteBuf out, Kind kind, String word, @Nullable Name name) {
    var writer = new ReplyWriter(out, client.protocol());
    writer.push(3);
    writer.bulk(word);
    if (name == null) {
      writer.nil();
    } else {
      writer.bulk(name.toString());
    }
    boolean shard = kind == Kind.SHARD;
    writer.integer(shard ? count(kind) : count(Kind.CHANNEL) + count(Kind.PATTERN));
  }

  /** RESET: what was pushed so far goes before its reply, and nothing comes behind it. */
  public void reset() {
    leaveAll();
    messages.writeBuffered();
    messages = new MessageOutput(context, site.counters());
  }

  /** Ends all subscriptions without a word, as RESET and the end of a connection do. */
  private void leaveAll() {
    messages.end();
    SubscriptionCall call = answering;
    if (call != null) {
      call.cancel();
    }
    if (!names.isEmpty()) {
      SubscribedNames left = names;
      long size = size();
      names = new SubscribedNames();
      new SubscriptionRemoval(site, messages, left, size).run(context.loop().slices());
    }
  }

  /** The connection closes once what it is owed is written. */
  public void drain() {
    leaveAll();
    messages.writeIfPossible();
    if (answering != null && !answering.isCaptured()) {
      answering.end().complete(Outcome.REJECTED);
    }
  }

  /** The connection is closed. */
  public void close() {
    leaveAll();
    messages.discard();
    if (answering != null) {
      answering.end().complete(Outcome.REJECTED); // no confirmation comes for it any more
    }
  }
}
