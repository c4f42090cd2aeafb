package io.penstock.core.copies;

import io.netty.buffer.Unpooled;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.command.CommandTable;
import io.penstock.core.copies.CopyTask.Result;
import io.penstock.core.dispatch.Dispatcher;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Sends the tasks of a queue to the copy in their order, many at a time.
 *
 * <p>If the copy does not run one of them now, nothing new is sent until all that is in flight is
 * answered. Then what did not run is sent again in its order, unless a later task on one of its
 * keys has run meanwhile: then the keys are copied again instead. While the copy does not answer,
 * nothing is sent but a {@code PING} from time to time; one shard that does not answer stops all,
 * so that nobody has to tell which later tasks may pass. Confined to the copy's loop.
 */
final class CopySender {

  /** A task that is redirected more often waits a little before. */
  private static final int QUICK_REDIRECTS = 3;

  /** Clients have affinities from 0 on, shadow reads from -1 down. */
  private static final int FIRST_AFFINITY = Integer.MIN_VALUE;

  private final int affinity;
  private final Loop loop;
  private Side side;
  private CopyPlanner planner;
  private @Nullable Side nextSide; // once nothing is in flight
  private CompletableFuture<Void> changed = CompletableFuture.completedFuture(null);
  private final Source source;
  private final CopyPause pause;
  private final CopyWindow window = new CopyWindow();
  private int inFlight; // exchanges
  private boolean again; // tasks in the window are to be sent again
  private boolean congested;
  private ConnectionKey connections = ConnectionKey.PLAIN; // of the window
  private boolean running;
  private boolean runAgain;
  private boolean closed;

  /** The queue. On the copy's loop. */
  interface Source {

    /** The first task that was not taken; null if there is none. */
    @Nullable CopyFlight peek();

    /** Removes it. */
    void take();

    /**
     * A task has ended.
     *
     * @param error the reason if there is one
     */
    void onEnd(CopyFlight flight, Result result, @Nullable CopyError error);

    /** Nothing is sent for now. */
    void onPause(String reason);

    /** The copy answers again. */
    void onResume();
  }

  CopySender(int number, Loop loop, Side side, Source source) {
    this.affinity = FIRST_AFFINITY + number;
    this.loop = loop;
    this.side = side;
    this.planner = new CopyPlanner(side.partitioner(), CommandTable.load());
    this.source = source;
    this.pause = new CopyPause(loop, side, affinity, this::onResume);
  }

  /** When the oldest task in flight was added to the queue; 0 if none is in flight. Any thread. */
  long oldestAt() {
    return window.oldestAt();
  }

  /**
   * Sends over another side, once nothing is in flight over the present one.
   *
   * @return completes when that is so
   */
  CompletableFuture<Void> change(Side next) {
    if (nextSide == null) {
      changed = new CompletableFuture<>();
    }
    nextSide = next;
    loop.tick();
    run();
    return changed;
  }

  private void changeSide(Side next) {
    boolean sameKeys = next.partitioner().equals(side.partitioner());
    nextSide = null;
    side = next;
    planner = new CopyPlanner(next.partitioner(), CommandTable.load());
    pause.change(next);
    if (!sameKeys) {
      var error = new CopyError(CopyError.Kind.FAILED, "the copy has another layout now");
      window.toBeSentAgain().forEach(flight -> end(flight, Result.DIFFERED, error));
    }
    changed.complete(null);
  }

  /** Sends what may be sent now. The clock was read in this turn. */
  void run() {
    if (running) {
      runAgain = true;
      return;
    }
    running = true;
    try {
      do {
        runAgain = false;
        runOnce();
      } while (runAgain);
    } finally {
      running = false;
    }
  }

  private void runOnce() {
    window.removeEnded();
    Side next = nextSide;
    if (next != null && inFlight == 0) {
      changeSide(next);
      window.removeEnded();
    }
    if (closed || pause.isOn() || nextSide != null) {
      return;
    }
    if (again && inFlight == 0) {
      again = false;
      sendAgain();
      window.removeEnded();
    }
    if (!again) {
      sendNew();
    }
    window.removeEnded();
  }

  private void sendNew() {
    CopyFlight next = source.peek();
    while (next != null && mayJoin(next)) {
      source.take();
      String problem = next.plan(planner).problem();
      if (problem != null) {
        end(next, Result.DIFFERED, new CopyError(CopyError.Kind.FAILED, problem));
      } else {
        window.add(next);
        next.send(this);
      }
      if (again || pause.isOn()) {
        return;
      }
      window.removeEnded();
      next = source.peek();
    }
  }

  private boolean mayJoin(CopyFlight next) {
    if (!side.dispatcher().isWritable(null, affinity)) { // with sync: replies are awaited
      awaitWritable(); // so that the next batch has all that waits by then, not one task
      return false;
    }
    CopyFlight first = window.first();
    if (first == null) {
      return true;
    }
    return !congested
        && !next.plan(planner).alone()
        && !first.plan(planner).alone()
        && next.task().database() == first.task().database()
        && window.hasRoomFor(next);
  }

  /**
   * Sends again, in order, what did not run, unless later tasks on the same keys did. Nothing is in
   * flight.
   */
  private void sendAgain() {
    for (CopyFlight flight : window.overtaken()) {
      end(flight, Result.DIFFERED, new CopyError(CopyError.Kind.FAILED, "a later write ran first"));
    }
    for (CopyFlight flight : window.toBeSentAgain()) {
      flight.sendAgain();
      if (pause.isOn()) {
        again = true; // the rest must not overtake it
        return;
      }
    }
    again |= inFlight > 0; // new tasks wait for those
  }

  /** Returns the connections for a task, those of the task before if they are the same. */
  ConnectionKey connectionsOf(int database, boolean selects) {
    if (selects) {
      return ConnectionKey.ANY_DATABASE;
    }
    if (connections.database() != database) {
      connections = ConnectionKey.ofDatabase(database);
    }
    return connections;
  }

  /** Returns the requests of a task, which first selects its database if it selects others. */
  List<CopyRequest> selecting(List<CopyRequest> requests, CopyFlight flight) {
    if (!flight.selects()) {
      return requests;
    }
    int database = flight.task().database();
    if (database == ConnectionKey.DEFAULT_DATABASE) {
      Placement placement = side.topology().current();
      database = placement.shards().getFirst().master().access().database();
    }
    byte[] number = Integer.toString(database).getBytes(StandardCharsets.US_ASCII);
    List<CopyRequest> all = new ArrayList<>(requests.size() + 1);
    all.add(new CopyRequest(List.of("SELECT".getBytes(StandardCharsets.US_ASCII), number)));
    all.addAll(requests);
    return all;
  }

  /** Adds a part for each master that serves partitions; at least one. */
  void addForEveryMaster(CopyFlight flight, List<CopyRequest> requests, List<CopyPart> into) {
    Placement placement = side.dispatcher().nodes().placement();
    int[] partitions = placement.firstPartitions();
    ConnectionKey on = connectionsOf(flight.task().database(), false);
    for (int shard = 0; shard < partitions.length; shard++) {
      if (partitions[shard] >= 0) {
        Endpoint master = placement.shards().get(shard).master();
        into.add(new CopyPart(flight, requests, on).toMaster(master, partitions[shard]));
      }
    }
    if (into.isEmpty()) { // no master is known yet: it waits for one
      into.add(new CopyPart(flight, requests, on).toPartition(0));
    }
  }

  void dispatch(CopyPart part) {
    inFlight++;
    byte[] redirect = part.takeRedirect();
    part.prepare(affinity, loop.now(), side.timeoutNanos());
    if (redirect != null) {
      if (!side.follow(part, Unpooled.wrappedBuffer(redirect), 0, redirect.length)) {
        CopyError said = CopyError.of(redirect);
        part.fail(new CopyError(CopyError.Kind.FAILED, said.text()));
      }
      return;
    }
    Dispatcher dispatcher = side.dispatcher();
    dispatcher.dispatch(part);
    if (!dispatcher.isWritable(part.sentTo(), affinity)) {
      awaitWritable();
    }
  }

  private void awaitWritable() {
    if (!congested) {
      congested = true;
      side.dispatcher().whenWritable(affinity, this::onWritable);
    }
  }

  private void onWritable() {
    congested = false;
    loop.tick();
    run();
  }

  /** A part was answered that it did not run. */
  void onNotRun(CopyPart part, CopyFlight flight, CopyError said) {
    if (said.kind() == CopyError.Kind.REDIRECT) {
      if (flight.countRedirect() > QUICK_REDIRECTS) {
        pause(part.partition(), said.text());
      }
      return;
    }
    Endpoint node = part.sentTo();
    if (node != null && said.isOfReplica()) {
      side.topology().demoted(node);
      side.topology().requestRefresh(RefreshTrigger.READONLY);
    } else if (said.isOfCluster()) {
      side.topology().requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
    }
    pause(part.partition(), said.text());
  }

  /** An exchange has ended. */
  void onPartEnd() {
    inFlight--;
    run();
  }

  /** A task did not run, in whole or in part. */
  void sendLater(CopyFlight flight) {
    if (closed) {
      end(flight, Result.DROPPED, null);
    } else {
      again = true;
    }
  }

  /** A task has ended. */
  void end(CopyFlight flight, Result result, @Nullable CopyError error) {
    flight.close();
    if (result == Result.DONE) {
      pause.onSuccess();
    }
    source.onEnd(flight, result, error);
  }

  /** Sends nothing until the node of a partition answers. */
  void pause(int partition, String reason) {
    if (pause.begin(partition)) {
      source.onPause(reason);
    }
  }

  private void onResume() {
    source.onResume();
    run();
  }

  /** Sends nothing any more. What is in flight ends with its reply, what is not is dropped. */
  void close() {
    closed = true;
    pause.close();
    window.toBeSentAgain().forEach(flight -> end(flight, Result.DROPPED, null));
  }
}
