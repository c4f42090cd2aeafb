package io.penstock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import com.sun.management.ThreadMXBean;
import io.netty.util.ResourceLeakDetector;
import io.penstock.core.hash.KeyHash;
import java.lang.management.ManagementFactory;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The budget of the hot path in the steady state, as the JMH benchmarks show it: 0 B a request. */
class ZeroBytesPerRequestBudgetTest {

  private static final int WARM_UP = 20_000;
  private static final int CALLS = 100_000;

  /** The JVM itself allocates less than a byte for each call: no object is that small. */
  private static final long NOISE = CALLS;

  private static ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();

  /** A tracked buffer records its accesses, which would be measured instead. */
  @BeforeAll
  static void buffersAreNotTracked() {
    level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
  }

  @AfterAll
  static void restoreTracking() {
    ResourceLeakDetector.setLevel(level);
  }

  static Stream<Arguments> decode() {
    var resp = new RespBenchmark();
    return Stream.of(
        named("GET", resp::requestGet),
        named("SET", resp::requestSet),
        named("GET x 16", resp::requestGetPipelined16),
        named("MSET of 10", resp::requestMset10));
  }

  static Stream<Arguments> replyScan() {
    var resp = new RespBenchmark();
    return Stream.of(
        named("bulk", resp::replyBulk),
        named("integer", resp::replyInteger),
        named("status", resp::replyStatus),
        named("array of 100", resp::replyArray100),
        named("array of 600", resp::replyArray600),
        named("1 MiB in pieces", resp::replyLargeBulkInPieces));
  }

  static Stream<Arguments> findKeys() {
    var command = new CommandBenchmark();
    var cluster = new ClusterBenchmark();
    cluster.makeKeys();
    return Stream.of(
        named("lookup", command::lookup),
        named("lookup of a long name", command::lookupLongName),
        named("lookup of a subcommand", command::lookupSubcommand),
        named("one key", command::keysSingle),
        named("ten keys", command::keysMulti10),
        named("numkeys", command::keysNumkeys),
        named("STREAMS", command::keysStreams),
        named("slot", cluster::slot),
        named("slot of a hash tag", cluster::slotWithHashTag));
  }

  static Stream<Arguments> route() {
    var route = new RouteBenchmark();
    var path = new PathBenchmark();
    return Stream.of(
        named("GET", route::routeGet),
        named("MGET on one slot", route::routeMget10SameSlot),
        named("MGET on ten slots", route::routeMget10Split),
        named("PING", route::routeLocal),
        named("decode, find, route", path::get),
        named("decode, find, route x 16", path::mixedPipelined16));
  }

  static Stream<Arguments> sequence() {
    var sequence = new SequenceBenchmark();
    return Stream.of(
        named("one", sequence::one),
        named("in order", sequence::inOrder16),
        named("as three nodes answer", sequence::interleaved16),
        named("in reverse", sequence::reversed16));
  }

  static Stream<Arguments> readFromReplicas() {
    var reads = new ReadBenchmark();
    return Stream.of(
        named("read of a replica", reads::readReplica),
        named("own write, read of the master", reads::readOwnWrite));
  }

  static Stream<Arguments> place() {
    var layout = new LayoutBenchmark();
    var placing = new LayoutBenchmark.Placing();
    return Stream.concat(
        Stream.of(KeyHash.values())
            .map(hash -> {
              var hashing = new LayoutBenchmark.Hashing();
              hashing.hash = hash;
              return named(hash.name(), () -> layout.hash(hashing));
            }),
        Stream.of(named("ketama with a hash tag", () -> layout.shard(placing))));
  }

  static Stream<Arguments> permit() {
    var acl = new AclBenchmark();
    return Stream.of(
        named("one key", acl::oneKey),
        named("one key with options", acl::oneKeyWithOptions),
        named("one key by a pattern", acl::oneKeyByPattern),
        named("ten keys", acl::tenKeys),
        named("channel", acl::channel));
  }

  private static Arguments named(String name, Runnable work) {
    return arguments(name, work);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("decode")
  void decodingAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("replyScan")
  void scanningRepliesAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("findKeys")
  void findingCommandsKeysAndSlotsAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("route")
  void routingAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sequence")
  void sequencingRepliesAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("readFromReplicas")
  void choosingReplicasAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("place")
  void placingKeysOnShardsAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("permit")
  void whatIsPermittedAllocatesNothing(String name, Runnable work) {
    assertThat(allocatedBy(work)).as(name).isLessThan(NOISE);
  }

  private static long allocatedBy(Runnable work) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    call(work, WARM_UP);
    long before = threads.getCurrentThreadAllocatedBytes();
    call(work, CALLS);
    return threads.getCurrentThreadAllocatedBytes() - before;
  }

  private static void call(Runnable work, int times) {
    for (int i = 0; i < times; i++) {
      work.run();
    }
  }
}
