package io.penstock.core.resync;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** How many keys per second there were in the last ten seconds. Confined to the jobs' loop. */
final class Rate {

  private static final long INTERVAL = TimeUnit.MILLISECONDS.toNanos(500);
  private static final int MOST_SAMPLES = 20;

  private final Deque<Sample> samples = new ArrayDeque<>();

  private record Sample(long at, long keys) {}

  void sample(long now, long keys) {
    Sample last = samples.peekLast();
    if (last != null && keys < last.keys()) {
      samples.clear(); // begun anew
    } else if (last != null && now - last.at() < INTERVAL) {
      return;
    }
    samples.addLast(new Sample(now, keys));
    if (samples.size() > MOST_SAMPLES) {
      samples.removeFirst();
    }
  }

  double perSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    Sample first = samples.getFirst();
    Sample last = samples.getLast();
    return (last.keys() - first.keys()) * 1e9 / (last.at() - first.at());
  }
}
