package io.penstock.core.forward;

import io.penstock.core.client.Backpressure;
import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.client.Nodes;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.limit.Allowance;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.retry.ExchangeOwner;
import io.penstock.core.retry.OrderGuard;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.transport.Slices;
import org.jspecify.annotations.Nullable;

/** Sends a client's requests on their way to nodes. Confined to the client's event loop. */
public final class Forwarder {

  private final Client client;
  private final ReplySequence replies;
  private final Allowance account;
  private final Nodes nodes;
  private final ExchangeOwner owner;
  private final OrderGuard order;
  private final ForwardLoop forwardLoop;
  private final ForwardContext made;
  private final ForwardInput sending;
  private final IncomingRequest request;
  private final Backpressure backpressure;
  private final CoverageWait coverage;

  /**
   * @param sending the request that is handled now
   */
  public Forwarder(ForwardContext made, ForwardInput sending) {
    ClientContext context = made.clientContext();
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.nodes = context.nodes();
    this.owner = made.owner();
    this.order = made.order();
    this.forwardLoop = made.forwardLoop();
    this.made = made;
    this.sending = sending;
    this.request = sending.request();
    this.backpressure = sending.backpressure();
    this.coverage = new CoverageWait(context, order);
  }

  /**
   * Whether the request, whose reply may be large, must wait until less of such replies is to come
   * from the node of its partition; then its client pauses.
   */
  public boolean mustWaitForRoom(RoutePlan plan, @Nullable CommandSpec spec) {
    if (spec == null || account.expectedLargeReply(spec) == 0 || hasRoom(plan)) {
      return false;
    }
    backpressure.pause(null);
    return true;
  }

  /** True for what goes over other connections than clients share, or nowhere. */
  private boolean hasRoom(RoutePlan plan) {
    return switch (plan) {
      case RoutePlan.OnePartition one -> hasRoom(one.partition());
      case RoutePlan.Script script -> hasRoom(script.partition());
      case RoutePlan.Split split -> hasRoom(split.partitionOfGroup(0));
      case RoutePlan.AnyNode _,
          RoutePlan.Publish _,
          RoutePlan.Watch _,
          RoutePlan.Blocking _,
          RoutePlan.Broadcast _,
          RoutePlan.Scan _,
          RoutePlan.Local _,
          RoutePlan.Reject _ ->
          true;
    };
  }

  private boolean hasRoom(int partition) {
    return nodes.hasRoomForLargeReply(partition, client.protocol(), client.affinity());
  }

  /** Sends the request as it is. */
  public void forward(CommandSpec spec, int partition) {
    send(prepareExchange(spec, partition));
  }

  /** The same to any node. */
  public void forwardToAnyNode(CommandSpec spec) {
    ReplySlot place = replies.begin(spec);
    place.targetAnyNode();
    Forwarded exchange = newExchange(place);
    exchange.prepareForAnyNode(spec);
    send(exchange);
  }

  /** The same for one of several keys. */
  public void forwardMultiKey(CommandSpec spec, int partition) {
    Forwarded exchange = prepareExchange(spec, partition);
    order.trackMultiKeyRequest(exchange);
    send(exchange);
  }

  /** The same for one that carries a script. */
  public void forwardScript(CommandSpec spec, RoutePlan.Script plan) {
    forwardLoop.scripts().record(spec, request.frame());
    if (plan.multiKey()) {
      forwardMultiKey(spec, plan.partition());
    } else {
      forward(spec, plan.partition());
    }
  }

  private Forwarded prepareExchange(CommandSpec spec, int partition) {
    ReplySlot place = replies.begin(spec);
    place.targetPartition(partition);
    Forwarded exchange = newExchange(place);
    exchange.prepare(spec, partition);
    return exchange;
  }

  private Forwarded newExchange(ReplySlot place) {
    RequestFrame frame = request.frame();
    Forwarded exchange = forwardLoop.pool().take().begin(owner, place);
    exchange.setRequestBytes(request.share(), frame.start(), frame.end() - frame.start());
    return exchange;
  }

  private void send(ClientExchange exchange) {
    if (!nodes.dispatch(exchange)) {
      backpressure.pauseIfBusy(exchange.sentTo());
    }
  }

  /** Sends the request in parts. */
  public void split(CommandSpec spec, RoutePlan.Split plan) {
    ReplySlot whole = replies.begin(spec);
    whole.targetManyPartitions();
    if (plan.keys() >= Slices.THRESHOLD) {
      new SlicedSplitRequest(made, whole, spec, plan, sending).begin();
      return;
    }
    var division = new SplitRequest(request.frame(), plan);
    var gather = new Gather(made, whole, plan.merge(), division.groupOfKey());
    Part[] parts = division.parts(gather, spec);
    for (int i = 0; i < parts.length; i++) {
      if (plan.keysOfGroup(i) > 1) {
        order.trackMultiKeyRequest(parts[i]);
      }
    }
    backpressure.pauseIfBusy(gather.send(parts));
  }

  /** Sends the request to every shard. */
  public void broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    Forwarded whole = beginForAllShards(spec);
    SharedBuffer bytes = request.share();
    if (spec.isWrite()) { // a master that has become a replica refuses it and takes others
      order.onRoutesChange();
    }
    coverage.sendWhenCovered(whole, new Broadcast(made, whole, plan, sending, bytes));
  }

  /** Sends the call of {@code SCAN} to the shard whose turn it is. */
  public void scan(CommandSpec spec, long cursor) {
    Forwarded whole = beginForAllShards(spec);
    coverage.sendWhenCovered(whole, new Scan(made, whole, coverage, cursor, sending));
  }

  /** Takes a place among the replies for a request that concerns all keys. */
  private Forwarded beginForAllShards(CommandSpec spec) {
    ReplySlot place = replies.begin(spec);
    place.targetManyPartitions();
    Forwarded whole = new Forwarded(null).begin(owner, place);
    whole.prepare(spec);
    return whole;
  }

  /** Sends a message; its reply is put right where clients listen here. */
  public void publish(CommandSpec spec, RoutePlan.Publish plan) {
    RequestFrame frame = request.frame();
    if (forwardLoop.hub().subscriberCounts().isEmpty()
        || frame.length(1) > forwardLoop.maxBytesOnHeap()) { // nobody's channel
      forward(spec, plan.partition());
      return;
    }
    ReplySlot whole = replies.begin(spec);
    whole.targetManyPartitions();
    Name channel = Name.copy(frame.buffer(), frame.offset(1), frame.length(1));
    Kind kind = plan.sharded() ? Kind.SHARD : Kind.CHANNEL;
    var publication = new Publication(made, whole, kind, channel);
    publication.setRequestBytes(request.share(), frame.start(), frame.end() - frame.start());
    publication.prepare(spec, plan.partition());
    send(publication);
  }
}
