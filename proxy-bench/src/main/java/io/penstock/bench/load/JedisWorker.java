package io.penstock.bench.load;

import io.penstock.bench.load.JedisOperation.Keys;
import java.util.concurrent.Callable;
import org.HdrHistogram.Histogram;
import redis.clients.jedis.UnifiedJedis;

/** One thread of a {@link JedisLoad}. */
record JedisWorker(JedisOperation operation, UnifiedJedis client, Keys keys, Pace pace, int number)
    implements Callable<Tally> {

  @Override
  public Tally call() throws InterruptedException {
    try {
      operation.call(client, keys); // connects
    } finally {
      pace.ready();
    }
    pace.awaitGo();
    Histogram latencies = Tally.histogram();
    long done = 0;
    long due = pace.awaitTurn(number, done);
    while (due != Long.MIN_VALUE) {
      operation.call(client, keys);
      Tally.record(latencies, System.nanoTime() - due, 1);
      done++;
      due = pace.awaitTurn(number, done);
    }
    return new Tally(latencies, done * operation.requests());
  }
}
