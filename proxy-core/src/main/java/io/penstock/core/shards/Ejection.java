package io.penstock.core.shards;

import io.netty.buffer.ByteBuf;
import io.penstock.core.control.TopologyThread;
import io.penstock.core.layout.ShardLayout;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.observe.ShownTime;
import io.penstock.core.topology.NestedTopology;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Partitioner;
import java.time.Duration;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes servers that fail out of the layout, as twemproxy's {@code auto_eject_hosts} does: their
 * keys, and some of the others, belong to the remaining servers until the server returns, which it
 * does after a time without a check. The last server stays.
 *
 * <p>Is the partitioner: partitions are shards, and a request is for the partition that has its key
 * at that moment. Failures may be reported from any thread; what they change is confined to the
 * topology thread.
 */
final class Ejection implements Partitioner, NestedTopology.Failures {

  private static final Logger LOG = LoggerFactory.getLogger(Ejection.class);

  private final ShardLayout whole;
  private final EjectionSettings settings;
  private final Environment environment;
  private final Map<Source, Failures> failures = new HashMap<>();
  private volatile BitSet out = new BitSet(); // changed by replacing it
  private volatile ShardLayout current;
  private volatile boolean closed;

  Ejection(ShardLayout whole, EjectionSettings settings, Environment environment) {
    this.whole = whole;
    this.settings = settings;
    this.environment = environment;
    this.current = whole;
  }

  /**
   * @param interval in which a server that does not answer counts as one failure
   * @param logPrefix what log lines begin with
   */
  record Environment(
      TopologyThread thread, ProxyEvents events, Duration interval, LogPrefix logPrefix) {}

  /** One event loop's connections to the server of a shard. */
  private record Source(int shard, Object loop) {}

  /** Failures in a row at one loop. */
  private static final class Failures {
    private int count;
    private long received; // before the latest failure
    private long last;
  }

  @Override
  public int partitions() {
    return whole.shards().size();
  }

  @Override
  public int partitionOf(ByteBuf buffer, int offset, int length) {
    return current.shardOf(buffer, offset, length);
  }

  @Override
  public boolean isInUse(int partition) {
    return !out.get(partition);
  }

  @Override
  public boolean isDecidedBy(ByteBuf buffer, int offset, int length) {
    return current.isDecidedBy(buffer, offset, length);
  }

  /**
   * A server has failed.
   *
   * @param loop at which
   * @param received how many bytes the loop has received from it so far; more than at the failure
   *     before means that it answered in between
   * @param repeated whether this is said again and again while it does not answer
   */
  @Override
  public void failed(int shard, Endpoint node, Object loop, long received, boolean repeated) {
    environment.thread.execute(() -> {
      if (counts(new Source(shard, loop), received, repeated)) {
        eject(shard, node);
      }
    });
  }

  /** Counts a failure. Returns whether there are enough to eject the server. */
  private boolean counts(Source source, long received, boolean repeated) {
    if (closed || out.get(source.shard())) {
      return false;
    }
    long now = environment.thread.nanoTime();
    Failures known = failures.computeIfAbsent(source, _ -> new Failures());
    if (received != known.received) {
      known.received = received;
      known.count = 0;
    } else if (repeated && known.count > 0 && now - known.last < environment.interval.toNanos()) {
      return false;
    }
    known.last = now;
    known.count++;
    return known.count >= settings.failures();
  }

  private void eject(int shard, Endpoint node) {
    failures.keySet().removeIf(source -> source.shard() == shard);
    if (out.cardinality() + 1 >= whole.shards().size()) {
      LOG.warn(
          "{}Server {} ({}) has failed {} times in a row and stays in the layout: no other server"
              + " is left",
          environment.logPrefix,
          whole.shards().get(shard),
          node,
          settings.failures());
      return;
    }
    use(shard, false);
    LOG.warn(
        "{}Server {} ({}) has failed {} times in a row and is ejected for {}: its keys, and some of"
            + " the others, belong to other servers now; {} of {} servers are left",
        environment.logPrefix,
        whole.shards().get(shard),
        node,
        settings.failures(),
        ShownTime.seconds(settings.retry()),
        whole.shards().size() - out.cardinality(),
        whole.shards().size());
    environment.events.serverEjected(node);
    environment.thread.runAfter(settings.retry(), () -> readmit(shard, node));
  }

  private void readmit(int shard, Endpoint node) {
    if (closed) {
      return;
    }
    use(shard, true);
    LOG.warn(
        "{}Server {} ({}) is in the layout again after {}, without a check: its keys belong to it"
            + " again",
        environment.logPrefix,
        whole.shards().get(shard),
        node,
        ShownTime.seconds(settings.retry()));
    environment.events.serverReadmitted(node);
  }

  private void use(int shard, boolean inUse) {
    BitSet next = (BitSet) out.clone();
    next.set(shard, !inUse);
    current = next.isEmpty() ? whole : whole.without((BitSet) next.clone());
    out = next;
  }

  /** Changes nothing more. */
  @Override
  public void close() {
    closed = true;
  }
}
