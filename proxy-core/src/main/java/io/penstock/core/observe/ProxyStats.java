package io.penstock.core.observe;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The statistics of a proxy at one moment, summed over its event loops. Counters only grow.
 *
 * @param commands one entry per command that was seen
 * @param clientsNow open client connections
 * @param clientsTotal client connections accepted since start
 * @param clientsRejected client connections rejected at the limit
 * @param clientsDelayed how often accepting client connections was delayed
 * @param nodes one entry per node that has or had connections
 * @param redirects redirects by kind
 * @param loops one entry per event loop
 * @param pubSub subscribers and their messages
 * @param traffic between clients and Penstock
 * @param errors error replies to clients, by their first word
 * @param held requests in failover holds
 * @param pressure the load by clients, and how often it was too much
 * @param reads reads from replicas
 * @param crossSlot commands over several slots
 * @param shadow reads that went to another upstream too
 * @param mirror the copies of upstreams
 */
public record ProxyStats(
    List<CommandStats> commands,
    long clientsNow,
    long clientsTotal,
    long clientsRejected,
    long clientsDelayed,
    List<NodeStats> nodes,
    Map<RetryablePrefix, Long> redirects,
    List<LoopStats> loops,
    PubSubStats pubSub,
    Traffic traffic,
    Map<String, Long> errors,
    HeldStats held,
    Pressure pressure,
    ReadCounts reads,
    CrossSlotStats crossSlot,
    ShadowStats shadow,
    MirrorStats mirror) {

  /** All counters are zero. */
  public static final ProxyStats NONE = ofPressure(Pressure.NONE);

  /** Returns statistics of nothing but what limits did to clients. */
  public static ProxyStats ofPressure(Pressure pressure) {
    return new ProxyStats(
        List.of(),
        0,
        0,
        0,
        0,
        List.of(),
        Map.of(),
        List.of(),
        PubSubStats.NONE,
        Traffic.NONE,
        Map.of(),
        HeldStats.NONE,
        pressure,
        ReadCounts.NONE,
        CrossSlotStats.NONE,
        ShadowStats.NONE,
        MirrorStats.NONE);
  }

  /**
   * Returns these statistics where the counters that {@code CONFIG RESETSTAT} resets on a server
   * begin at {@code before}.
   */
  public ProxyStats since(ProxyStats before) {
    return StatsSince.of(before, this);
  }

  /** Returns the sum with the statistics of another part of the proxy. */
  public ProxyStats plus(ProxyStats other) {
    return StatsSum.of(this, other);
  }

  /**
   * One command's counts.
   *
   * @param name upper-case name as Redis documents it
   * @param outcomes count per {@link Outcome}
   * @param bucketCounts commands per duration bucket, same order as {@link
   *     DurationBuckets#upperBounds()} plus one last bucket for longer durations; not cumulative
   * @param totalNanos sum of durations in nanoseconds
   */
  public record CommandStats(
      String name, Map<Outcome, Long> outcomes, long[] bucketCounts, long totalNanos) {}

  /**
   * One node's connections.
   *
   * @param connections open connections
   * @param exclusive those among them that are leased to one client, or kept for the next lease
   * @param inFlight commands sent and not yet answered
   * @param bytesSent bytes written to the node
   * @param bytesReceived bytes read from the node
   * @param reconnects connections made after a lost one
   * @param errors failed connection attempts and lost connections
   * @param errorReplies error replies by their first word; without those that never came
   */
  public record NodeStats(
      Endpoint node,
      long connections,
      long exclusive,
      long inFlight,
      long bytesSent,
      long bytesReceived,
      long reconnects,
      long errors,
      Map<ErrorPrefix, Long> errorReplies) {

    /** Returns the sum with other connections to the same node. */
    public NodeStats plus(NodeStats other) {
      return new NodeStats(
          node,
          connections + other.connections,
          exclusive + other.exclusive,
          inFlight + other.inFlight,
          bytesSent + other.bytesSent,
          bytesReceived + other.bytesReceived,
          reconnects + other.reconnects,
          errors + other.errors,
          ErrorPrefix.sum(errorReplies, other.errorReplies));
    }
  }

  /**
   * Subscribers and their messages.
   *
   * @param channels distinct channels that clients are subscribed to
   * @param patterns distinct patterns
   * @param shardChannels distinct shard channels
   * @param messages messages sent to clients, counted for each client
   */
  public record PubSubStats(long channels, long patterns, long shardChannels, long messages) {

    /** None. */
    public static final PubSubStats NONE = new PubSubStats(0, 0, 0, 0);

    public PubSubStats plus(PubSubStats other) {
      return new PubSubStats(
          channels + other.channels,
          patterns + other.patterns,
          shardChannels + other.shardChannels,
          messages + other.messages);
    }
  }

  /**
   * The load by clients, and how often it was too much.
   *
   * @param memory bytes of client memory
   * @param unanswered pending requests
   * @param paused clients that are not read now: they have too many pending requests or too much
   *     unread output, a node does not keep up, or they wait after a failed AUTH
   * @param closed clients closed for a limit, by reason
   * @param authenticationFailures how often clients gave wrong credentials
   * @param authenticationDelays attempts to authenticate that waited because of others of their
   *     address
   */
  public record Pressure(
      long memory,
      long unanswered,
      long paused,
      Map<CloseReason, Long> closed,
      long authenticationFailures,
      long authenticationDelays) {

    /** None. */
    public static final Pressure NONE = new Pressure(0, 0, 0, Map.of(), 0, 0);

    public Pressure plus(Pressure other) {
      Map<CloseReason, Long> both = new EnumMap<>(CloseReason.class);
      for (CloseReason reason : CloseReason.values()) {
        both.put(reason, closed.getOrDefault(reason, 0L) + other.closed.getOrDefault(reason, 0L));
      }
      return new Pressure(
          memory + other.memory,
          unanswered + other.unanswered,
          paused + other.paused,
          both,
          authenticationFailures + other.authenticationFailures,
          authenticationDelays + other.authenticationDelays);
    }
  }

  /**
   * The traffic between clients and Penstock.
   *
   * @param bytesReceived bytes read from clients
   * @param bytesSent bytes of replies
   * @param commandsPerSecond recent rate
   * @param bytesReceivedPerSecond recent rate
   * @param bytesSentPerSecond recent rate
   * @param blockedClients clients in a blocking call, or delayed by {@code CLIENT PAUSE}
   */
  public record Traffic(
      long bytesReceived,
      long bytesSent,
      long commandsPerSecond,
      long bytesReceivedPerSecond,
      long bytesSentPerSecond,
      long blockedClients) {

    /** None. */
    public static final Traffic NONE = new Traffic(0, 0, 0, 0, 0, 0);

    public Traffic plus(Traffic other) {
      return new Traffic(
          bytesReceived + other.bytesReceived,
          bytesSent + other.bytesSent,
          commandsPerSecond + other.commandsPerSecond,
          bytesReceivedPerSecond + other.bytesReceivedPerSecond,
          bytesSentPerSecond + other.bytesSentPerSecond,
          blockedClients + other.blockedClients);
    }
  }

  /**
   * Commands over several slots.
   *
   * @param commands how many were carried out in steps, by the name of the command
   * @param rejected how many were rejected that could have been, by the name of the command
   * @param bytes that were written to other nodes to copy or move values
   * @param retries attempts that began again, because another client changed a key meanwhile
   */
  public record CrossSlotStats(
      Map<String, Long> commands, Map<String, Long> rejected, long bytes, long retries) {

    /** None. */
    public static final CrossSlotStats NONE = new CrossSlotStats(Map.of(), Map.of(), 0, 0);

    public CrossSlotStats plus(CrossSlotStats other) {
      return new CrossSlotStats(
          sum(commands, other.commands),
          sum(rejected, other.rejected),
          bytes + other.bytes,
          retries + other.retries);
    }

    private static Map<String, Long> sum(Map<String, Long> one, Map<String, Long> other) {
      Map<String, Long> sums = new TreeMap<>(one);
      other.forEach((name, count) -> sums.merge(name, count, Long::sum));
      return sums;
    }
  }

  /** How the failover hold of a request ended, or why it was not held. */
  public enum HeldOutcome {
    /** It was sent or answered when a node accepted it. */
    SERVED,
    /** It was held for the maximum time and then answered with an error. */
    FAILED,
    /** Its client disconnected. */
    DISCONNECTED,
    /** It was rejected: too many requests were held already. */
    REJECTED
  }

  /**
   * Requests in failover holds.
   *
   * @param now requests that are held
   * @param outcomes counts by the ordinal of {@link HeldOutcome}
   */
  public record HeldStats(long now, long[] outcomes) {

    /** None. */
    public static final HeldStats NONE = new HeldStats(0, new long[HeldOutcome.values().length]);

    public HeldStats plus(HeldStats other) {
      long[] sum = outcomes.clone();
      for (int i = 0; i < sum.length; i++) {
        sum[i] += other.outcomes[i];
      }
      return new HeldStats(now + other.now, sum);
    }

    /** Returns how many holds had this outcome. */
    public long count(HeldOutcome outcome) {
      return outcomes[outcome.ordinal()];
    }
  }

  /**
   * One event loop's health.
   *
   * @param index 0 to loops - 1
   * @param lagNanos how late its latest tick was, in nanoseconds
   * @param maxLagNanos how late its most delayed tick since the start was, in nanoseconds
   */
  public record LoopStats(int index, long lagNanos, long maxLagNanos) {}
}
