package io.penstock.bench.load;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import redis.clients.jedis.AbstractPipeline;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;

/** The operation that a thread of a {@link JedisLoad} repeats. Keys and values have 30 bytes. */
public enum JedisOperation {
  GET(1) {
    @Override
    void call(UnifiedJedis client, Keys keys) {
      client.get(keys.any());
    }
  },
  /** While one more client, which is not measured, fetches values of 1 MiB. */
  GET_BESIDE_LARGE(1) {
    @Override
    void call(UnifiedJedis client, Keys keys) {
      client.get(keys.any());
    }
  },
  SETEX(1) {
    @Override
    @SuppressWarnings("deprecation") // as old as the command, which this is about
    void call(UnifiedJedis client, Keys keys) {
      client.setex(keys.any(), EXPIRY_SECONDS, VALUE);
    }
  },
  PIPELINE_GET(Keys.SEVERAL) {
    @Override
    void call(UnifiedJedis client, Keys keys) {
      pipelined(client, List.of(keys.several()), AbstractPipeline::get);
    }
  },
  MGET(1) {
    @Override
    void call(UnifiedJedis client, Keys keys) {
      client.mget(keys.several());
    }
  },
  MSET(1) {
    @Override
    void call(UnifiedJedis client, Keys keys) {
      String[] several = keys.several();
      String[] pairs = new String[2 * several.length];
      for (int i = 0; i < several.length; i++) {
        pairs[2 * i] = several[i];
        pairs[2 * i + 1] = VALUE;
      }
      client.mset(pairs);
    }
  };

  static final String VALUE = "v".repeat(30);

  /** Keys live until the measurement is over. */
  static final long EXPIRY_SECONDS = 86_400;

  private final int requests;

  JedisOperation(int requests) {
    this.requests = requests;
  }

  /** Returns the number of commands in one operation: each command of a pipeline counts. */
  int requests() {
    return requests;
  }

  /** The name on the command line and in tables. */
  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** Runs the operation once; blocks until it is answered. */
  abstract void call(UnifiedJedis client, Keys keys);

  /**
   * Sends a command for each key in one pipeline; blocks until all are answered.
   *
   * @throws RuntimeException if any of them failed, which the pipeline itself does not report
   */
  static void pipelined(
      UnifiedJedis client,
      List<String> keys,
      BiFunction<AbstractPipeline, String, Response<?>> command) {
    try (AbstractPipeline pipeline = client.pipelined()) {
      List<Response<?>> replies = new ArrayList<>();
      for (String key : keys) {
        replies.add(command.apply(pipeline, key));
      }
      pipeline.sync();
      replies.forEach(Response::get);
    }
  }

  /** Keys of 30 bytes each, made before they are needed. */
  static final class Keys {

    /** Keys of one operation that has several, and commands of a pipeline. */
    static final int SEVERAL = 20;

    private static final String KEY = "penstock-bench-key-%011d";

    private final List<String> all;

    Keys(int count) {
      all = IntStream.range(0, count).mapToObj(KEY::formatted).toList();
    }

    List<String> all() {
      return all;
    }

    String any() {
      return all.get(ThreadLocalRandom.current().nextInt(all.size()));
    }

    String[] several() {
      String[] several = new String[SEVERAL];
      for (int i = 0; i < SEVERAL; i++) {
        several[i] = any();
      }
      return several;
    }
  }
}
