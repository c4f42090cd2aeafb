package io.penstock.core.retry;

import io.penstock.core.client.ClientContext;
import io.penstock.core.client.IncomingRequest;
import io.penstock.core.dispatch.Destination;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.dispatch.ReadNodes;
import io.penstock.core.dispatch.ReadTarget;
import io.penstock.core.node.BackendNode;
import io.penstock.core.read.ReadRoutes;
import io.penstock.core.read.ReadRoutes.Way;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ReadFrom;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The order of a client's requests if its upstream is also read from replicas: requests of one
 * partition at several nodes do not overtake each other either. {@link ReadRoutes} has the rules.
 */
public final class ReadOrder extends OrderGuard {

  private static final int ALL_PARTITIONS = -1;

  private final ClientContext context;
  private final ReplySequence replies;
  private final ReadNodes readNodes;
  private final ReadRoutes routes;
  private final Tracker[] trackers; // by way
  private final Tracker writes = new Tracker(Way.MASTER, true, null);
  private @Nullable Tracker severalKeys; // used last for a request with several keys
  private BooleanSupplier watching = () -> false;
  private boolean someWait; // a request waits for unanswered reads
  private long otherWrite; // number of an unanswered request that may write; 0 for none
  private int otherPartition;

  public ReadOrder(ClientContext context, ReadNodes readNodes) {
    super(context);
    this.context = context;
    this.replies = context.replies();
    this.readNodes = readNodes;
    this.routes = new ReadRoutes(readNodes, context.loop());
    this.trackers =
        new Tracker[] {
          new Tracker(Way.MASTER, false, null),
          new Tracker(Way.MASTER_READ, false, null),
          new Tracker(Way.REPLICA, false, null)
        };
  }

  /** Counts a request as answered at its end. */
  private final class Tracker extends RequestTracker {
    private final Way way;
    private final boolean wrote;
    private final @Nullable RequestTracker next;

    Tracker(Way way, boolean wrote, @Nullable RequestTracker next) {
      this.way = way;
      this.wrote = wrote;
      this.next = next;
    }

    @Override
    void onEnd(ClientExchange request) {
      routes.end(request.partition(), way, wrote);
      if (next != null) {
        next.onEnd(request);
      }
      if (someWait) {
        someWait = false;
        context.loop().executor().execute(context.client()::processInput);
      }
    }
  }

  @Override
  public void readMasterWhile(BooleanSupplier condition) {
    watching = condition;
  }

  @Override
  public boolean mustWait(int partition, IncomingRequest request) {
    return super.mustWait(partition, request)
        || mustWaitForReads(partition, request.command().spec());
  }

  private boolean mustWaitForReads(int partition, @Nullable CommandSpec spec) {
    boolean waits = routes.mustWait(partition, spec != null && mayRead(spec));
    someWait |= waits;
    return waits;
  }

  @Override
  public boolean mustWaitForSplit(RoutePlan.ReusedSplit plan, IncomingRequest request) {
    if (super.mustWaitForSplit(plan, request)) {
      return true;
    }
    CommandSpec spec = request.command().spec();
    for (int group = 0; group < plan.groups(); group++) {
      if (mustWaitForReads(plan.partitionOfGroup(group), spec)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean mustWaitForAll(IncomingRequest request) {
    CommandSpec spec = request.command().spec();
    boolean waits = routes.replicaReads() > 0 && (spec == null || !spec.isReadOnly());
    someWait |= waits;
    return waits || super.mustWaitForAll(request);
  }

  /** Returns whether a replica may serve the command now. */
  private boolean mayRead(CommandSpec spec) {
    return spec.mayReadReplica() && !isOtherWriteUnanswered() && !watching.getAsBoolean();
  }

  @Override
  public void noteOtherWrite(int partition) {
    otherPartition = otherWrite > 0 && otherPartition != partition ? ALL_PARTITIONS : partition;
    otherWrite = replies.lastRequestNumber();
  }

  @Override
  public void noteOtherWriteToAll() {
    noteOtherWrite(ALL_PARTITIONS);
  }

  private boolean isOtherWriteUnanswered() {
    if (otherWrite == 0) {
      return false;
    }
    if (!replies.isEmpty() && replies.at(0).requestNumber() <= otherWrite) {
      return true;
    }
    otherWrite = 0;
    if (otherPartition == ALL_PARTITIONS) {
      routes.noteWriteToAll();
    } else {
      routes.noteWrite(otherPartition);
    }
    return false;
  }

  @Override
  public @Nullable BackendNode replicaFor(int partition, CommandSpec spec) {
    routes.mustWait(partition, mayRead(spec));
    ReadTarget target = routes.target();
    return target == null ? null : target.node();
  }

  @Override
  public void route(ClientExchange request) {
    CommandSpec spec = request.spec();
    if (spec == null || request.destination() != Destination.PARTITION) {
      request.readFromMaster();
      return;
    }
    Way way = routes.begin(request.partition(), mayRead(spec));
    send(request, way);
    boolean writes = way == Way.MASTER && !spec.isReadOnly() && !spec.isPubSub();
    request.setTracker(trackerOf(way, writes, request.tracker()));
  }

  private Tracker trackerOf(Way way, boolean wrote, @Nullable RequestTracker several) {
    if (several == null) {
      return wrote ? writes : trackers[way.ordinal()];
    }
    Tracker last = severalKeys;
    if (last == null || last.way != way || last.wrote != wrote || last.next != several) {
      last = new Tracker(way, wrote, several);
      severalKeys = last;
    }
    return last;
  }

  private void send(ClientExchange request, Way way) {
    ReadTarget target = routes.target();
    if (way == Way.REPLICA) {
      request.readFrom(target == null ? PlacedExchange.NO_REPLICA : target.number());
    } else {
      request.readFromMaster();
    }
  }

  @Override
  @Nullable Endpoint targetOfRetry(ClientExchange request, Endpoint master) {
    if (!wasSentToReplica(request)) {
      return master;
    }
    Way way = request.needsMaster() ? Way.MASTER_READ : routes.again(request.partition());
    send(request, way);
    if (way != Way.REPLICA) {
      return master;
    }
    ReadTarget target = routes.target();
    return target == null ? null : target.node().node();
  }

  private static boolean wasSentToReplica(ClientExchange request) {
    return request.tracker() instanceof Tracker tracker && tracker.way == Way.REPLICA;
  }

  @Override
  boolean mayReadMasterInstead(ClientExchange request) {
    boolean may = wasSentToReplica(request) && readNodes.settings().from() != ReadFrom.REPLICA;
    if (may) {
      request.needMaster();
    }
    return may;
  }

  @Override
  void onRejected(ClientExchange request, RetryableError error) {
    RetryablePrefix prefix = error.prefix();
    if (!error.isAsk()
        && prefix != RetryablePrefix.TRYAGAIN
        && prefix != RetryablePrefix.NOSCRIPT) {
      onReadFailed(request);
    }
  }

  @Override
  void onReadFailed(ClientExchange request) {
    Endpoint node = request.sentTo();
    if (node != null && request.readsReplica() && request.replica() != PlacedExchange.NO_REPLICA) {
      readNodes.leaveOut(request.partition(), node);
    }
  }
}
