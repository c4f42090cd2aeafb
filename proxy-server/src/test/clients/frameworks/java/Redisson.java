import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.redisson.api.BatchOptions;
import org.redisson.api.BatchResult;
import org.redisson.api.RAtomicLong;
import org.redisson.api.RBatch;
import org.redisson.api.RBlockingQueue;
import org.redisson.api.RBucket;
import org.redisson.api.RBuckets;
import org.redisson.api.RDelayedQueue;
import org.redisson.api.RLock;
import org.redisson.api.RMap;
import org.redisson.api.RMapCache;
import org.redisson.api.RQueue;
import org.redisson.api.RScoredSortedSet;
import org.redisson.api.RSet;
import org.redisson.api.RTopic;
import org.redisson.api.RedissonClient;
import org.redisson.client.codec.StringCodec;
import org.redisson.config.Config;

/**
 * Redisson with a single server's address through Penstock: {@code java -cp 'lib/*' Redisson.java HOST
 * PORT}. {@code ../../frameworks.txt} describes the scenarios.
 */
final class Redisson {

  private final RedissonClient one;
  private final RedissonClient two;

  private Redisson(RedissonClient one, RedissonClient two) {
    this.one = one;
    this.two = two;
  }

  private static RedissonClient client(String host, String port) {
    var config = new Config();
    config.setCodec(StringCodec.INSTANCE);
    config
        .useSingleServer()
        .setAddress("redis://" + host + ":" + port)
        .setConnectionMinimumIdleSize(2)
        .setConnectionPoolSize(8)
        .setTimeout(10_000);
    return org.redisson.Redisson.create(config);
  }

  /** The second client gets the lock as soon as the first one gives it back. */
  private void lock() throws Exception {
    RLock first = one.getLock("lock");
    RLock second = two.getLock("lock");
    first.lock();
    Scenarios.equal(second.tryLock(), false);
    var waiting =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                boolean locked = second.tryLock(Scenarios.PATIENCE_SECONDS, TimeUnit.SECONDS);
                second.unlock();
                return locked;
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    Scenarios.equal(first.isLocked(), true);
    first.unlock();
    Scenarios.equal(waiting.get(), true);
    Scenarios.equal(first.isLocked(), false);
  }

  private void queue() {
    RQueue<String> queue = one.getQueue("queue");
    queue.add("a");
    queue.add("b");
    Scenarios.equal(two.getQueue("queue").poll(), "a");
    Scenarios.equal(queue.pollLastAndOfferFirstTo("queue of others"), "b");
    Scenarios.equal(two.getQueue("queue of others").readAll(), List.of("b"));
    Scenarios.equal(queue.isEmpty(), true);
  }

  private void blockingQueue() throws Exception {
    RBlockingQueue<String> first = one.getBlockingQueue("blocking 1");
    var taken = CompletableFuture.supplyAsync(() -> take(first));
    two.getQueue("blocking 1").add("a");
    Scenarios.equal(taken.get(), "a");
    Scenarios.equal(first.poll(100, TimeUnit.MILLISECONDS), null);
  }

  private static String take(RBlockingQueue<String> queue) {
    try {
      return queue.poll(Scenarios.PATIENCE_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private void severalBlockingQueues() throws Exception {
    RBlockingQueue<String> first = one.getBlockingQueue("any 1");
    var taken = new ArrayList<String>();
    for (String queue : List.of("any 3", "any 1", "any 2")) {
      CompletableFuture<String> any =
          first
              .pollFromAnyAsync(Scenarios.PATIENCE_SECONDS, TimeUnit.SECONDS, "any 2", "any 3")
              .toCompletableFuture();
      two.getQueue(queue).add("of " + queue);
      taken.add(any.get());
    }
    Scenarios.equal(taken, List.of("of any 3", "of any 1", "of any 2"));
  }

  private void blockingMove() throws Exception {
    var moved =
        CompletableFuture.supplyAsync(
            () -> {
              try {
                return one.<String>getBlockingQueue("from")
                    .pollLastAndOfferFirstTo("to", Scenarios.PATIENCE_SECONDS, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
            });
    two.getQueue("from").add("a");
    Scenarios.equal(moved.get(), "a");
    Scenarios.equal(two.getQueue("to").readAll(), List.of("a"));
  }

  private void delayedQueue() {
    RBlockingQueue<String> target = one.getBlockingQueue("delayed");
    RDelayedQueue<String> delayed = one.getDelayedQueue(target);
    delayed.offer("late", 200, TimeUnit.MILLISECONDS);
    Scenarios.equal(take(target), "late");
    delayed.destroy();
  }

  private void map() throws Exception {
    RMap<String, String> map = one.getMap("map");
    map.put("a", "1");
    Scenarios.equal(map.putIfAbsent("a", "2"), "1");
    Scenarios.equal(map.replace("a", "1", "3"), true);
    Scenarios.equal(two.getMap("map").readAllMap(), Map.of("a", "3"));
    RMapCache<String, String> cache = one.getMapCache("cache");
    cache.put("short", "1", 100, TimeUnit.MILLISECONDS);
    cache.put("long", "2", 10, TimeUnit.MINUTES);
    Scenarios.eventually("an entry expires", () -> cache.get("short") == null);
    Scenarios.equal(cache.get("long"), "2");
  }

  private void buckets() {
    RBuckets buckets = one.getBuckets();
    buckets.set(Map.of("bucket 1", "a", "bucket 2", "b", "bucket 3", "c"));
    Scenarios.equal(
        buckets.get("bucket 1", "none", "bucket 3"), Map.of("bucket 1", "a", "bucket 3", "c"));
  }

  private void rename() {
    RBucket<String> bucket = one.getBucket("old name");
    bucket.set("value", Duration.ofMinutes(5));
    bucket.rename("new name");
    Scenarios.equal(two.getBucket("new name").get(), "value");
    Scenarios.equal(two.getBucket("new name").remainTimeToLive() > 0, true);
    Scenarios.equal(two.getBucket("old name").isExists(), false);
    one.getBucket("old name").set("other");
    Scenarios.equal(one.getBucket("old name").renamenx("new name"), false);
  }

  private void sets() {
    RSet<String> first = one.getSet("set 1");
    RSet<String> second = one.getSet("set 2");
    first.addAll(Set.of("a", "b"));
    second.addAll(Set.of("b", "c"));
    Scenarios.equal(first.readUnion("set 2"), Set.of("a", "b", "c"));
    Scenarios.equal(first.readIntersection("set 2"), Set.of("b"));
    Scenarios.equal(one.getSet("set 3").union("set 1", "set 2"), 3);
    Scenarios.equal(first.move("set 2", "a"), true);
    Scenarios.equal(second.readAll(), Set.of("a", "b", "c"));
  }

  private void sortedSets() {
    RScoredSortedSet<String> first = one.getScoredSortedSet("ranks 1");
    RScoredSortedSet<String> second = one.getScoredSortedSet("ranks 2");
    first.addAll(Map.of("a", 1.0, "b", 2.0));
    second.addAll(Map.of("b", 5.0, "c", 0.5));
    Scenarios.equal(one.getScoredSortedSet("ranks 3").union("ranks 1", "ranks 2"), 3);
    Scenarios.equal(List.copyOf(two.getScoredSortedSet("ranks 3").readAll()), List.of("c", "a", "b"));
  }

  private void batch() {
    RBatch batch = one.createBatch();
    for (int i = 0; i < 20; i++) {
      batch.getAtomicLong("counter " + i).addAndGetAsync(i);
    }
    BatchResult<?> result = batch.execute();
    Scenarios.equal(result.getResponses().get(19), 19L);
  }

  /** In a MULTI over several slots. */
  private void atomicBatch() {
    RBatch batch =
        one.createBatch(
            BatchOptions.defaults().executionMode(BatchOptions.ExecutionMode.IN_MEMORY_ATOMIC));
    batch.getAtomicLong("atomic 1").incrementAndGetAsync();
    batch.getMap("atomic 2").fastPutAsync("a", "1");
    batch.getBucket("atomic 3").setAsync("x");
    batch.getAtomicLong("atomic 1").incrementAndGetAsync();
    BatchResult<?> result = batch.execute();
    Scenarios.equal(result.getResponses().getFirst(), 1L);
    Scenarios.equal(result.getResponses().getLast(), 2L);
    RAtomicLong counter = two.getAtomicLong("atomic 1");
    Scenarios.equal(counter.get(), 2L);
    Scenarios.equal(two.getBucket("atomic 3").get(), "x");
  }

  private void topic() throws Exception {
    RTopic topic = two.getTopic("topic");
    var received = new CompletableFuture<String>();
    topic.addListener(String.class, (_, message) -> received.complete(message));
    Scenarios.equal(one.getTopic("topic").publish("hello"), 1L);
    Scenarios.equal(received.get(Scenarios.PATIENCE_SECONDS, TimeUnit.SECONDS), "hello");
  }

  public static void main(String[] arguments) {
    RedissonClient one = client(arguments[0], arguments[1]);
    RedissonClient two = client(arguments[0], arguments[1]);
    var suite = new Redisson(one, two);
    boolean succeeded =
        new Scenarios()
            .add("lock", suite::lock)
            .add("queue", suite::queue)
            .add("blocking-queue", suite::blockingQueue)
            .add("several-blocking-queues", suite::severalBlockingQueues)
            .add("blocking-move", suite::blockingMove)
            .add("delayed-queue", suite::delayedQueue)
            .add("map", suite::map)
            .add("buckets", suite::buckets)
            .add("rename", suite::rename)
            .add("sets", suite::sets)
            .add("sorted-sets", suite::sortedSets)
            .add("batch", suite::batch)
            .add("atomic-batch", suite::atomicBatch)
            .add("topic", suite::topic)
            .run();
    one.shutdown();
    two.shutdown();
    System.exit(succeeded ? 0 : 1);
  }
}
