package io.penstock.core.forward;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.mirroring.ClientMirror;
import io.penstock.core.mirroring.FollowedParts;
import io.penstock.core.node.BackendNode;
import io.penstock.core.output.SharedBuffer;
import io.penstock.core.pubsub.Hub;
import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.shadow.ShadowReads;
import io.penstock.core.shadow.ShadowedRead;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.transport.Slices;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Forwards a client's requests to nodes. Confined to the client's event loop. */
public final class Forwarder {

  private final Client client;
  private final ReplySequence replies;
  private final Nodes nodes;
  private final ExchangeOwner owner;
  private final OrderGuard order;
  private final ForwardLoop forwardLoop;
  private final ForwardContext context;
  private final ForwardInput input;
  private final IncomingRequest request;
  private final Backpressure backpressure;
  private final CoverageWait coverage;
  private final @Nullable ClientMirror mirror;
  private @Nullable SubscribersWait subscribersWait; // of the message that was put back
  private final SubscribersWait.Resumption resumption;

  /**
   * @param input the request that is handled now
   */
  public Forwarder(ForwardContext context, ForwardInput input) {
    ClientContext clientContext = context.clientContext();
    this.client = clientContext.client();
    this.replies = clientContext.replies();
    this.nodes = clientContext.nodes();
    this.owner = context.owner();
    this.order = context.order();
    this.forwardLoop = context.forwardLoop();
    this.context = context;
    this.input = input;
    this.request = input.request();
    this.backpressure = input.backpressure();
    this.coverage = new CoverageWait(clientContext, order);
    this.mirror = context.mirror();
    this.resumption = new SubscribersWait.Resumption(client);
  }

  /**
   * Returns whether a request whose reply may be large must wait, because too many bytes of large
   * replies are expected from the node of its partition. If so, reading from the client is paused.
   */
  public boolean mustWaitForRoom(int partition, CommandSpec spec) {
    if (hasRoom(partition, spec)) {
      return false;
    }
    backpressure.pause(null);
    return true;
  }

  private boolean hasRoom(int partition, CommandSpec spec) {
    ConnectionKey connections = client.connections();
    BackendNode replica = order.replicaFor(partition, spec);
    return replica == null
        ? nodes.hasRoomForLargeReply(partition, client.protocol(), client.affinity(), connections)
        : replica.hasRoomForLargeReply(
            client.protocol(), client.affinity(), connections.forReplicaReads());
  }

  /** Forwards the request unchanged. */
  public void forward(CommandSpec spec, int partition) {
    send(prepareExchange(spec, partition));
  }

  /** Forwards the request unchanged to any node. */
  public void forwardToAnyNode(CommandSpec spec) {
    ReplySlot slot = replies.begin(spec);
    slot.targetAnyNode();
    Forwarded exchange = newExchange(slot);
    exchange.prepareForAnyNode(spec);
    send(exchange);
  }

  /** Forwards a request with several keys. */
  public void forwardMultiKey(CommandSpec spec, int partition) {
    Forwarded exchange = prepareExchange(spec, partition);
    order.trackMultiKeyRequest(exchange);
    send(exchange);
  }

  /** Forwards a request that may carry a script, and remembers the script. */
  public void forwardScript(CommandSpec spec, RoutePlan.Script plan) {
    forwardLoop.scripts().record(spec, request.frame());
    if (plan.multiKey()) {
      forwardMultiKey(spec, plan.partition());
    } else {
      forward(spec, plan.partition());
    }
  }

  private Forwarded prepareExchange(CommandSpec spec, int partition) {
    ReplySlot slot = replies.begin(spec);
    slot.targetPartition(partition);
    ShadowReads shadow = forwardLoop.shadow().reads();
    ShadowedRead read = shadow == null ? null : sample(shadow, spec, partition);
    Forwarded exchange = read == null ? newExchange(slot) : begin(new ShadowedExchange(read), slot);
    exchange.prepare(spec, partition);
    if (mirror != null) {
      mirror.follow(exchange, spec, request.frame());
    }
    return exchange;
  }

  private @Nullable ShadowedRead sample(ShadowReads shadow, CommandSpec spec, int partition) {
    return shadow.sample(spec, request.frame(), partition, client.protocol(), client.connections());
  }

  private Forwarded newExchange(ReplySlot slot) {
    return begin(forwardLoop.pool().take(), slot);
  }

  private Forwarded begin(Forwarded exchange, ReplySlot slot) {
    RequestFrame frame = request.frame();
    exchange.begin(owner, slot);
    exchange.setRequestBytes(request.share(), frame.start(), frame.end() - frame.start());
    return exchange;
  }

  private void send(ClientExchange exchange) {
    order.route(exchange);
    if (!nodes.dispatch(exchange)) {
      backpressure.pauseIfBusy(exchange.sentTo());
    }
    if (mirror != null) {
      exchange.afterDispatch(nodes::dispatch);
    }
  }

  /** Sends the request in parts, one per partition. */
  public void split(CommandSpec spec, RoutePlan.ReusedSplit plan) {
    ReplySlot whole = replies.begin(spec);
    whole.targetManyPartitions();
    FollowedParts followed = mirror == null ? null : mirror.takeForParts(spec);
    if (plan.keys() >= Slices.THRESHOLD) {
      new SlicedSplitRequest(context, whole, spec, plan, input).begin(followed);
      return;
    }
    var split = new SplitRequest(request.frame(), plan);
    var gather = new Gather(context, whole, plan.merge(), split.groupOfKey(), plan.groups());
    Part[] parts = split.parts(gather.parts(), spec);
    for (int i = 0; i < parts.length; i++) {
      if (plan.keysOfGroup(i) > 1) {
        order.trackMultiKeyRequest(parts[i]);
      }
      order.route(parts[i]);
      if (followed != null) {
        followed.follow(parts[i]);
      }
    }
    if (followed != null) {
      followed.end();
    }
    backpressure.pauseIfBusy(gather.send(parts));
  }

  /** Sends the request to every shard. */
  public void broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    Forwarded whole = beginForAllShards(spec);
    SharedBuffer bytes = request.share();
    if (spec.isWrite()) { // a master that has become a replica rejects it and accepts others
      order.onConnectionsChange();
      order.noteOtherWriteToAll();
    }
    var broadcast = new Broadcast(context, whole, plan, input, bytes);
    if (mirror != null) {
      broadcast.follow(mirror.takeForAll(spec));
    }
    if (spec.isPubSub()) {
      forwardLoop.hub().whenClosedClientsAreKnown(() -> coverage.sendWhenCovered(whole, broadcast));
    } else {
      coverage.sendWhenCovered(whole, broadcast);
    }
  }

  /** Sends the {@code SCAN} call to the shard that its cursor names. */
  public void scan(CommandSpec spec, long cursor) {
    Forwarded whole = beginForAllShards(spec);
    coverage.sendWhenCovered(whole, new Scan(context, whole, coverage, cursor, input));
  }

  /** Starts a request that concerns all keys. It is not sent itself, only its parts are. */
  private Forwarded beginForAllShards(CommandSpec spec) {
    ReplySlot slot = replies.begin(spec);
    slot.targetManyPartitions();
    Forwarded whole = new Forwarded(null).begin(owner, slot);
    whole.prepare(spec);
    return whole;
  }

  /**
   * Whether a message must wait until clients are subscribed that have asked for its channel
   * before. If so, the client's input is processed again when it need not wait any more.
   */
  public boolean mustAwaitSubscribers(RoutePlan.Publish plan) {
    RequestFrame frame = request.frame();
    return forwardLoop.hub().subscriberCounts().pending().isUsed()
        && frame.length(1) <= forwardLoop.maxBytesOnHeap()
        && mustAwait(List.of(PublishedChannels.channel(plan, frame)));
  }

  /** The same for the messages of a transaction. */
  public boolean mustAwaitSubscribers(PublishedChannels channels) {
    return mustAwait(channels.channels());
  }

  private boolean mustAwait(List<Channel> channels) {
    SubscribersWait wait = subscribersWait;
    if (wait == null && !channels.isEmpty()) {
      Hub hub = forwardLoop.hub();
      wait = SubscribersWait.begin(context.clientContext().loop(), hub, channels, resumption);
    }
    boolean mustWait = wait != null && !wait.isOver();
    subscribersWait = mustWait ? wait : null;
    return mustWait;
  }

  /** Handles a request that waits for subscribers, now. Does nothing if there is none. */
  public void endWait() {
    SubscribersWait wait = subscribersWait;
    if (wait != null) {
      wait.end();
    }
  }

  /** Publishes a message. The count in the reply is corrected if clients are subscribed here. */
  public void publish(CommandSpec spec, RoutePlan.Publish plan) {
    RequestFrame frame = request.frame();
    if (forwardLoop.hub().subscriberCounts().isEmpty()
        || frame.length(1) > forwardLoop.maxBytesOnHeap()) { // no client can be subscribed to it
      forward(spec, plan.partition());
      return;
    }
    ReplySlot whole = replies.begin(spec);
    whole.targetManyPartitions();
    var publication = new Publication(context, whole, PublishedChannels.channel(plan, frame));
    publication.setRequestBytes(request.share(), frame.start(), frame.end() - frame.start());
    publication.prepare(spec, plan.partition());
    send(publication);
  }
}
