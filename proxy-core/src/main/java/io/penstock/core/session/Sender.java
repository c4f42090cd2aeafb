package io.penstock.core.session;

import io.penstock.core.backend.Exchange;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.SharedBuffer;
import io.penstock.core.transport.Slices;
import io.penstock.core.upstream.Endpoint;
import org.jspecify.annotations.Nullable;

/** Sends a session's requests on their way, and notices when the nodes do not keep up. */
final class Sender {

  private static final int NO_SLOT = -1;

  private final Session session;
  private final Coverage coverage;
  private boolean nodesBusy;

  Sender(Session session) {
    this.session = session;
    this.coverage = new Coverage(session);
  }

  /** True while nothing should be sent: the nodes, or this client's thread, are busy with it. */
  boolean isPaused() {
    if (!nodesBusy) {
      pauseFor(null);
    }
    return nodesBusy;
  }

  /**
   * Whether the request that was found last, whose reply may be large, must wait until less of such
   * replies is to come from the node of its slot; then its client pauses.
   */
  boolean awaitsRoom(RoutePlan plan, @Nullable CommandSpec spec) {
    if (spec == null || session.allowance().expectsMuch(spec) == 0 || hasRoom(slotOf(plan))) {
      return false;
    }
    pause(null);
    return true;
  }

  private boolean hasRoom(int slot) {
    Dispatcher dispatcher = session.loop().dispatcher();
    return slot == NO_SLOT
        || dispatcher.hasRoom(slot, session.profile().protocol(), session.affinity());
  }

  /** The slot, or the first of several; none of what goes over other connections, or nowhere. */
  private static int slotOf(RoutePlan plan) {
    return switch (plan) {
      case RoutePlan.OneSlot one -> one.slot();
      case RoutePlan.Script script -> script.slot();
      case RoutePlan.Split split -> split.slotOfGroup(0);
      case RoutePlan.AnyNode _,
          RoutePlan.Publish _,
          RoutePlan.Watch _,
          RoutePlan.Blocking _,
          RoutePlan.Broadcast _,
          RoutePlan.Scan _,
          RoutePlan.Local _,
          RoutePlan.Reject _ ->
          NO_SLOT;
    };
  }

  /** Sends the request that was found last, as it is. */
  void forward(CommandSpec spec, int slot) {
    send(prepared(spec, slot));
  }

  /** The same to any node. */
  void forwardToAnyNode(CommandSpec spec) {
    Request request = begun(spec);
    request.prepareForAnyNode(session, spec);
    send(request);
  }

  /** The same for one of several keys; false when it must wait for earlier ones. */
  boolean forwardSeveral(CommandSpec spec, int slot) {
    if (session.order().holdsBack(slot)) {
      return false;
    }
    Request request = prepared(spec, slot);
    session.order().namesSeveral(request);
    send(request);
    return true;
  }

  /** The same for one that carries a script; false when it must wait for earlier ones. */
  boolean forwardScript(CommandSpec spec, RoutePlan.Script plan) {
    if (session.order().holdsBack(plan.slot())) {
      return false; // before its digest is made, which is once per call then
    }
    session.loop().noteScript(spec, session.input().frame());
    Request request = prepared(spec, plan.slot());
    if (plan.several()) {
      session.order().namesSeveral(request);
    }
    send(request);
    return true;
  }

  private Request prepared(CommandSpec spec, int slot) {
    Request request = begun(spec);
    request.prepare(session, spec, slot);
    return request;
  }

  private Request begun(CommandSpec spec) {
    Request request = session.intake().begin(spec);
    RequestFrame frame = session.input().frame();
    int length = frame.end() - frame.start();
    request.carry(session.input().shareOfFrame(), frame.start(), length);
    return request;
  }

  /** Executes a transaction; the request that was found last gets the reply. */
  void execute(CommandSpec exec, Transaction transaction, @Nullable Watch watch) {
    Request whole = session.intake().begin(exec);
    whole.divide();
    var execution = new Execution(whole, session, transaction, watch);
    if (watch == null && transaction.sent() == 0) {
      execution.spliceOwn();
      return;
    }
    int slot = Math.max(0, transaction.slot());
    execution.prepare(session, exec, slot, transaction.takeBlock(), transaction.sent());
    if (watch == null) {
      if (transaction.namesSeveral()) {
        session.order().namesSeveral(execution);
      }
      execution.sendAhead(this::send);
      send(execution);
    } else {
      execution.sendAhead(watch::sendAhead);
      watch.send(execution);
    }
  }

  /** Sends what is prepared. */
  void send(Exchange exchange) {
    if (!session.loop().dispatcher().dispatch(exchange)) {
      pauseFor(exchange.sentTo());
    }
  }

  /**
   * Sends once more.
   *
   * @param askTarget where it is to be asked for this once; null for who serves it
   */
  void sendAgain(Routed request, @Nullable Endpoint askTarget) {
    Dispatcher dispatcher = session.loop().dispatcher();
    if (askTarget == null) {
      request.sendAhead(dispatcher::dispatch);
      dispatcher.dispatch(request);
    } else {
      request.sendAhead(ahead -> dispatcher.dispatchTo(askTarget, ahead, false));
      dispatcher.dispatchTo(askTarget, request, true);
    }
  }

  /** Sends the request that was found last in parts. */
  void divide(CommandSpec spec, RoutePlan.Split plan) {
    Request whole = session.intake().begin(spec);
    whole.divide();
    if (plan.keys() >= Slices.MANY) {
      new LongDivision(session, whole, spec, plan).begin();
      return;
    }
    var division = new Division(session.input().frame(), plan);
    var gather = new Gather(whole, plan.merge(), division.groupOfKey());
    Part[] parts = division.parts(gather, spec);
    for (int i = 0; i < parts.length; i++) {
      if (plan.keysOfGroup(i) > 1) {
        session.order().namesSeveral(parts[i]);
      }
    }
    pauseFor(gather.send(parts));
  }

  /** Sends the request that was found last to every shard. */
  void broadcast(CommandSpec spec, RoutePlan.Broadcast plan) {
    Request whole = beginForAll(spec);
    RequestFrame frame = session.input().frame();
    SharedBuffer bytes = session.input().shareOfFrame();
    if (spec.isWrite()) { // a master that has become a replica refuses it and takes others
      session.order().routesChange();
    }
    coverage.whenWhole(whole, new Broadcast(whole, plan, bytes, frame));
  }

  /** Sends the call of {@code SCAN} that was found last to the shard whose turn it is. */
  void scan(CommandSpec spec, long cursor) {
    Request whole = beginForAll(spec);
    coverage.whenWhole(whole, new Scan(whole, coverage, cursor, session.input().frame()));
  }

  /** Takes a place among the replies for a request that concerns all keys. */
  private Request beginForAll(CommandSpec spec) {
    Request whole = session.intake().begin(spec);
    whole.prepare(session, spec);
    whole.divide();
    return whole;
  }

  /** Sends a message that was found last; its reply is put right where clients listen here. */
  void publish(CommandSpec spec, RoutePlan.Publish plan) {
    RequestFrame frame = session.input().frame();
    if (session.loop().hub().audience().isEmpty()
        || frame.length(1) > session.loop().directory().longestOnHeap()) { // nobody's channel
      forward(spec, plan.slot());
      return;
    }
    Request whole = session.intake().begin(spec);
    whole.divide();
    Name channel = Name.copy(frame.buffer(), frame.offset(1), frame.length(1));
    Kind kind = plan.sharded() ? Kind.SHARD : Kind.CHANNEL;
    var publication = new Publication(whole, session, kind, channel);
    int length = frame.end() - frame.start();
    publication.carry(session.input().shareOfFrame(), frame.start(), length);
    publication.prepare(session, spec, plan.slot());
    send(publication);
  }

  /**
   * Pauses until {@code node} keeps up again; others of the loop that do so wake nobody for long.
   */
  void pauseFor(@Nullable Endpoint node) {
    if (!session.loop().dispatcher().keepsUp(node, session.affinity())) {
      pause(node);
    }
  }

  private void pause(@Nullable Endpoint node) {
    nodesBusy = true;
    session
        .loop()
        .dispatcher()
        .whenWritable(
            session.affinity(),
            () -> {
              if (session.isClosed()) {
                return;
              }
              nodesBusy = false;
              pauseFor(node);
              session.takeUp();
            });
  }
}
