package io.penstock.core.script;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.resp.RequestFrame;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The scripts that came through this proxy, by their digests: a node that lacks one can be given
 * it. Those of {@code SCRIPT LOAD} are kept apart from those of {@code EVAL}, as in Redis since
 * 7.4, so that texts made for one call do not push out what was loaded on purpose. Safe from any
 * thread.
 */
public final class Scripts {

  private static final int MOST_LOADED = 10_000;
  private static final long MOST_LOADED_BYTES = atMost(64, 16);
  private static final int MOST_EVALUATED = 500; // as many as Redis keeps
  private static final long MOST_EVALUATED_BYTES = atMost(16, 64);

  private final Shelf loaded = new Shelf(MOST_LOADED, MOST_LOADED_BYTES);
  private final Shelf evaluated = new Shelf(MOST_EVALUATED, MOST_EVALUATED_BYTES);

  /** So many MiB, or that part of the heap if it is less. */
  private static long atMost(long mebibytes, int part) {
    return Math.min(mebibytes * 1024 * 1024, Runtime.getRuntime().maxMemory() / part);
  }

  /**
   * Looks at a request that is on its way to the nodes.
   *
   * @param digests of the loop it is on
   */
  void record(CommandSpec spec, RequestFrame frame, DigestCache digests) {
    switch (spec.name()) {
      case "eval", "eval_ro" -> evaluated.add(frame, 1, digests);
      case "script|load" -> loaded.add(frame, 2, digests);
      case "script|flush" -> forget(frame);
      default -> {
        // carries no script
      }
    }
  }

  /** Digest of the script that {@code EVALSHA} or {@code EVALSHA_RO} calls; null for the rest. */
  public static @Nullable String calledDigest(Command command) {
    boolean bySha =
        command.argEqualsIgnoreCase(0, "evalsha") || command.argEqualsIgnoreCase(0, "evalsha_ro");
    return bySha && command.argc() > 1 ? command.frame().text(1).toLowerCase(Locale.ROOT) : null;
  }

  /** Unless the nodes will refuse it. */
  private void forget(RequestFrame flush) {
    String how = flush.argc() > 2 ? flush.text(2).toUpperCase(Locale.ROOT) : "SYNC";
    if (flush.argc() > 3 || !(how.equals("SYNC") || how.equals("ASYNC"))) {
      return;
    }
    loaded.clear();
    evaluated.clear();
  }

  /**
   * The script with that digest, or null when it is not known.
   *
   * @param digest in lower case
   */
  public byte @Nullable [] body(String digest) {
    byte[] body = loaded.get(digest);
    return body == null ? evaluated.get(digest) : body;
  }

  /** So many scripts, and so many bytes of them: the oldest goes first. */
  static final class Shelf {

    private final int most;
    private final long mostBytes;
    private final Map<String, byte[]> bodies = new ConcurrentHashMap<>();
    private final Queue<String> oldestFirst = new ConcurrentLinkedQueue<>();
    private final AtomicLong bytes = new AtomicLong();

    Shelf(int most, long mostBytes) {
      this.most = most;
      this.mostBytes = mostBytes;
    }

    byte @Nullable [] get(String digest) {
      return bodies.get(digest);
    }

    void add(RequestFrame frame, int argument, DigestCache digests) {
      int length = frame.length(argument);
      if (length > mostBytes) {
        return; // before its digest is made
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
