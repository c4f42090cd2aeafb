package io.penstock.core.mirroring;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.dispatch.Sender;
import io.penstock.core.mirror.Effect;
import io.penstock.core.resp.Protocol;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.upstream.Placement;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The mirrored writes of the clients of one event loop. Confined to that loop. */
public final class LoopMirror {

  /** The affinity of Penstock's own requests, which no client has. */
  static final int OWN_AFFINITY = Integer.MIN_VALUE;

  private final Mirror mirror;
  private final Loop loop;
  private final Side side;
  private final Map<SharedLane, Lane> lanes = new HashMap<>();

  /** A lane that clients share. */
  private record SharedLane(Protocol protocol, int database, int connection) {}

  LoopMirror(Mirror mirror, Loop loop, Side side) {
    this.mirror = mirror;
    this.loop = loop;
    this.side = side;
  }

  Mirror mirror() {
    return mirror;
  }

  Loop loop() {
    return loop;
  }

  /** The primary. */
  Side side() {
    return side;
  }

  Placement placement() {
    return side.dispatcher().nodes().placement();
  }

  /**
   * Returns the lane of a client; a new one if it shares its connections with nobody.
   *
   * @param affinity of the client
   */
  Lane lane(Protocol protocol, ConnectionKey connections, int affinity) {
    int connection = side.dispatcher().sharedConnectionOf(affinity);
    return connection == Sender.OWN_CONNECTION && affinity != OWN_AFFINITY
        ? new Lane(loop)
        : lanes.computeIfAbsent(
            new SharedLane(protocol, connections.database(), connection), _ -> new Lane(loop));
  }

  /** Returns the lane of Penstock's own requests. */
  Lane ownLane(ConnectionKey connections) {
    return lane(Protocol.RESP2, connections, OWN_AFFINITY);
  }

  /** Has every copy do a task. */
  void offer(CopyTask task, @Nullable Verdict verdict) {
    for (CopyQueue copy : mirror.copies()) {
      copy.offer(task, verdict == null ? CopyTask.Listener.NOBODY : verdict.listener());
    }
  }

  /**
   * Has every copy do several things, one after the other.
   *
   * @param own the database of the client, see {@link CopyTask#database}
   */
  void doAll(List<Effect.Part> parts, int own, @Nullable Verdict verdict) {
    for (CopyQueue copy : mirror.copies()) {
      var outstanding = new AtomicInteger(parts.size());
      var all = new AtomicBoolean(true);
      Consumer<Boolean> each =
          same -> {
            if (!same) {
              all.set(false);
            }
            if (outstanding.decrementAndGet() == 0 && verdict != null) {
              verdict.tell(all.get());
            }
          };
      for (Effect.Part part : parts) {
        int database = part.database() == Effect.Part.OF_CLIENT ? own : part.database();
        if (part.requests().isEmpty()) {
          mirror.copyAgain(copy.number(), database, part.keys(), each);
        } else {
          copy.offer(
              new CopyTask(database, part.requests(), null, null, part.keys()),
              result -> each.accept(result == CopyTask.Result.DONE));
        }
      }
    }
  }

  /** Copies keys again to every copy. */
  void copyAgain(int database, List<byte[]> keys, @Nullable Verdict verdict) {
    for (CopyQueue copy : mirror.copies()) {
      copyAgain(copy.number(), database, keys, verdict);
    }
  }

  private void copyAgain(int copy, int database, List<byte[]> keys, @Nullable Verdict verdict) {
    mirror.copyAgain(
        copy,
        database,
        keys,
        same -> {
          if (verdict != null) {
            verdict.tell(same);
          }
        });
  }
}
