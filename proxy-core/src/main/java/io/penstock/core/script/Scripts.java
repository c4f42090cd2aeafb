package io.penstock.core.script;

import io.penstock.core.command.Command;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Trait;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that clients sent through this proxy, by digest: they are loaded to a node that lacks
 * one. Scripts of {@code SCRIPT LOAD} are stored apart from those of {@code EVAL}, as in Redis
 * since 7.4, so that scripts made for one call do not evict scripts that were loaded on purpose.
 * Safe from any thread.
 */
public final class Scripts {

  private static final int MOST_LOADED = 10_000;
  private static final long MOST_LOADED_BYTES = atMost(64, 16);
  private static final int MOST_EVALUATED = 500; // as many as Redis keeps
  private static final long MOST_EVALUATED_BYTES = atMost(16, 64);

  private final Store loaded = new Store(MOST_LOADED, MOST_LOADED_BYTES);
  private final Store evaluated = new Store(MOST_EVALUATED, MOST_EVALUATED_BYTES);

  /** Converts MiB to bytes. Returns at most the heap's maximum divided by {@code part}. */
  private static long atMost(long mebibytes, int part) {
    return Math.min(mebibytes * 1024 * 1024, Runtime.getRuntime().maxMemory() / part);
  }

  /**
   * Records the script in a request that is sent to the nodes, or forgets all on {@code SCRIPT
   * FLUSH}.
   *
   * @param digests the cache of the request's loop
   */
  void record(CommandSpec spec, RequestFrame frame, DigestCache digests) {
    if (spec.has(Trait.RUNS_SCRIPT)) {
      evaluated.add(frame, 1, digests);
    } else if (spec.has(Trait.LOADS_SCRIPT)) {
      loaded.add(frame, 2, digests);
    } else if (spec.has(Trait.FLUSHES_SCRIPTS)) {
      forget(frame);
    }
  }

  /**
   * Returns the digest that an {@code EVALSHA} or {@code EVALSHA_RO} calls; null for other
   * commands.
   */
  public static @Nullable String calledDigest(Command command) {
    CommandSpec spec = command.spec();
    boolean byDigest = spec != null && spec.has(Trait.RUNS_DIGEST);
    return byDigest && command.argc() > 1 ? command.frame().text(1).toLowerCase(Locale.ROOT) : null;
  }

  /** Forgets all scripts, unless the nodes will reject the call of {@code SCRIPT FLUSH}. */
  private void forget(RequestFrame flush) {
    String how = flush.argc() > 2 ? flush.text(2).toUpperCase(Locale.ROOT) : "SYNC";
    if (flush.argc() > 3 || !(how.equals("SYNC") || how.equals("ASYNC"))) {
      return;
    }
    loaded.clear();
    evaluated.clear();
  }

  /**
   * Returns the script with that digest, or null if it is not known.
   *
   * @param digest in lower case
   */
  public byte @Nullable [] body(String digest) {
    byte[] body = loaded.get(digest);
    return body == null ? evaluated.get(digest) : body;
  }

  /** A map of scripts, bounded by number and by bytes: the oldest is evicted first. */
  static final class Store {

    private final int most;
    private final long mostBytes;
    private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
    private final Queue<String> oldestFirst = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();

    Store(int most, long mostBytes) {
      this.most = most;
      this.mostBytes = mostBytes;
    }

    byte @Nullable [] get(String digest) {
      return bodies.get(digest);
    }

    void add(RequestFrame frame, int argument, DigestCache digests) {
      int length = frame.length(argument);
      if (length > mostBytes) {
        return; // before its digest is computed
      }
      String digest = digests.of(frame, argument);
      if (bodies.containsKey(digest)) {
        return;
      }
      byte[] body = new byte[length];
      frame.buffer().getBytes(frame.offset(argument), body);
      if (bodies.putIfAbsent(digest, body) == null) {
        oldestFirst.add(digest);
        bytes.addAndGet(length);
        dropOldest();
      }
    }

    private void dropOldest() {
      while (bodies.size() > most || bytes.get() > mostBytes) {
        String oldest = oldestFirst.poll();
        if (oldest == null) {
          return;
        }
        byte[] body = bodies.remove(oldest);
        if (body != null) {
          bytes.addAndGet(-body.length);
        }
      }
    }

    void clear() {
      for (String oldest = oldestFirst.poll(); oldest != null; oldest = oldestFirst.poll()) {
        byte[] body = bodies.remove(oldest);
        if (body != null) {
          bytes.addAndGet(-body.length);
        }
      }
    }

    int size() {
      return bodies.size();
    }
  }
}
