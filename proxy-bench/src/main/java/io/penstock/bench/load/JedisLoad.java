package io.penstock.bench.load;

import io.penstock.bench.harness.Target;
import io.penstock.bench.load.JedisOperation.Keys;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Sample;
import io.penstock.testkit.cluster.Member;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import redis.clients.jedis.ConnectionPoolConfig;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.RedisClient;
import redis.clients.jedis.RedisClusterClient;
import redis.clients.jedis.UnifiedJedis;

/**
 * Threads that share one Jedis client, for a time: the pooled client to an address, the cluster
 * client to a cluster.
 *
 * @param rate operations a second that all threads together begin, each at its own time whether
 *     earlier ones are answered or not, and measured from that time; 0 for as many as get through
 * @param largeRate values of 1 MiB a second at most, beside them; 0 for one after the other
 */
public record JedisLoad(
    JedisOperation operation, int threads, Scale scale, double rate, double largeRate)
    implements Load {

  private static final Duration REPLY = Duration.ofSeconds(10);
  private static final int FILL_DEPTH = 500;

  @Override
  public String group() {
    return operation.label();
  }

  @Override
  public String name() {
    return threads + (threads == 1 ? " thread" : " threads");
  }

  @Override
  public boolean suits(Target target) {
    return !(target instanceof Target.Address address && address.isUnixSocket());
  }

  @Override
  public void prepare(Target target) {
    List<String> keys = new Keys(scale.keys()).all();
    try (UnifiedJedis client = connect(target)) {
      for (int from = 0; from < keys.size(); from += FILL_DEPTH) {
        JedisOperation.pipelined(
            client,
            keys.subList(from, Math.min(from + FILL_DEPTH, keys.size())),
            (pipeline, key) -> pipeline.set(key, JedisOperation.VALUE));
      }
      if (operation == JedisOperation.GET_BESIDE_LARGE) {
        LargeReader.prepare(client);
      }
    }
  }

  @Override
  public Sample run(Target target, Meter meter) throws InterruptedException {
    Keys keys = new Keys(scale.keys());
    try (UnifiedJedis client = connect(target);
        LargeReader neighbour = neighbour(target);
        ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      Pace pace = new Pace(threads, scale.seconds(), rate);
      try {
        List<Future<Tally>> crew = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
          JedisWorker worker = new JedisWorker(operation, client, keys, pace, i);
          crew.add(executor.submit(worker));
        }
        pace.awaitAll();
        return measured(crew, pace, neighbour, meter);
      } finally {
        pace.end(); // the executor waits for all
      }
    }
  }

  private static Sample measured(
      List<Future<Tally>> crew, Pace pace, @Nullable LargeReader neighbour, Meter meter)
      throws InterruptedException {
    meter.start();
    long fetched = neighbour == null ? 0 : neighbour.fetched();
    pace.go();
    Tally tally = sum(crew);
    long nanos = pace.elapsedNanos();
    Sample sample = tally.sample(nanos);
    meter.stop(neighbour == null ? tally.requests() : 0);
    return neighbour == null
        ? sample
        : sample.with(Measure.LARGE_VALUES, 1e9 * (neighbour.fetched() - fetched) / nanos);
  }

  private @Nullable LargeReader neighbour(Target target) {
    return operation == JedisOperation.GET_BESIDE_LARGE
        ? new LargeReader(connect(target), largeRate)
        : null;
  }

  private static Tally sum(List<Future<Tally>> crew) throws InterruptedException {
    Tally sum = Tally.empty();
    for (Future<Tally> one : crew) {
      try {
        sum = sum.plus(one.get());
      } catch (ExecutionException e) {
        if (e.getCause() instanceof LoadFailure failure) {
          throw failure;
        }
        throw new LoadFailure("Jedis says: " + Objects.toString(e.getCause()), e);
      }
    }
    return sum;
  }

  private UnifiedJedis connect(Target target) {
    ConnectionPoolConfig pool = new ConnectionPoolConfig();
    pool.setMaxTotal(threads);
    pool.setMaxIdle(threads);
    int timeout = Math.toIntExact(REPLY.toMillis());
    var config = DefaultJedisClientConfig.builder().timeoutMillis(timeout).build();
    return switch (target) {
      case Target.Address(String _, String host, int port, long _, var _) ->
          RedisClient.builder()
              .hostAndPort(host, port)
              .clientConfig(config)
              .poolConfig(pool)
              .build();
      case Target.Direct(String _, var cluster) -> {
        Set<HostAndPort> seeds = new HashSet<>();
        for (Member member : cluster.members()) {
          seeds.add(new HostAndPort(member.host(), member.port()));
        }
        yield RedisClusterClient.builder()
            .nodes(seeds)
            .clientConfig(config)
            .poolConfig(pool)
            .build();
      }
    };
  }
}
