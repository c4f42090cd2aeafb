package io.penstock.core.assembly;

import io.penstock.core.copies.CopyQueue;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.Repairs;
import io.penstock.core.mirroring.Mirror;
import io.penstock.core.observe.MirrorStats;
import io.penstock.core.resync.CopyJobs;
import io.penstock.core.resync.ResyncEnds;
import io.penstock.core.side.Side;
import io.penstock.core.transport.Loop;
import io.penstock.core.transport.LoopGroup;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The mirrored writes of an upstream: its copies, each with a queue on one event loop. The
 * upstreams that replace each other while the servers of the primary stay the same share it, so
 * that writes stay in order and a change of the settings leaves no copy behind. It is closed with
 * the last of them. Safe from any thread.
 */
public final class UpstreamMirror {

  private static final Logger log = LoggerFactory.getLogger(UpstreamMirror.class);

  private static final long CHECK_MILLIS = 10;

  private final LoopGroup group;
  private final Mirror mirror;
  private final List<RespUpstream> sharers = new CopyOnWriteArrayList<>(); // oldest first
  private volatile Map<String, Copy> copies = Map.of(); // by name, in the order of the settings
  private volatile @Nullable RespUpstream leader; // with the settings in force
  private volatile Duration drainTimeout = Duration.ZERO;
  private int nextNumber; // changes come one after the other

  UpstreamMirror(LoopGroup group, MirrorSettings settings) {
    this.group = group;
    this.mirror = new Mirror(settings, this::fieldsMayExpire);
  }

  /** A copy. The upstream is kept open for as long as the queue uses it. */
  private record Copy(CopyQueue queue, RespUpstream upstream, Loop loop, CopyJobs jobs) {}

  /** The primary and a copy, for jobs. Those of the settings in force, whenever they are asked. */
  private final class Ends implements ResyncEnds {

    private final Names names;
    private final Loop loop;
    private final CopyQueue queue;

    Ends(Names names, Loop loop, CopyQueue queue) {
      this.names = names;
      this.loop = loop;
      this.queue = queue;
    }

    @Override
    public Names names() {
      return names;
    }

    @Override
    public Loop loop() {
      return loop;
    }

    @Override
    public Side primary() {
      return Objects.requireNonNull(leader, "a copy has a primary").side(loop);
    }

    @Override
    public Side copy() {
      Copy copy = Objects.requireNonNull(copies.get(names.copy()), "the copy was removed");
      return copy.upstream().side(loop);
    }

    @Override
    public Repairs repairs() {
      return mirror;
    }

    @Override
    public Progress progress() {
      return ResyncEnds.progressOf(queue, mirror.settings());
    }
  }

  /** True also as long as it is not known: a copy without the command differs, and is repaired. */
  private boolean fieldsMayExpire() {
    RespUpstream primary = leader;
    if (primary == null || !knowsFieldDeadlines(primary)) {
      return false;
    }
    for (Copy each : copies.values()) {
      if (!knowsFieldDeadlines(each.upstream())) {
        return false;
      }
    }
    return true;
  }

  private static boolean knowsFieldDeadlines(RespUpstream upstream) {
    return upstream.servers().commands().fieldsMayExpire();
  }

  Mirror mirror() {
    return mirror;
  }

  /** Adds an upstream, until it calls {@link #leave}. */
  void join(RespUpstream upstream) {
    sharers.add(upstream);
  }

  /**
   * Removes an upstream. With the last one it is closed: writes that wait have some time to be
   * copied. Returns at once.
   */
  void leave(RespUpstream upstream) {
    if (sharers.remove(upstream) && sharers.isEmpty()) {
      empty(drainTimeout).whenComplete((_, _) -> close(upstream.name()));
    }
  }

  /**
   * The copies of an upstream.
   *
   * @param upstreams in the order of the settings
   * @param drainTimeout how long writes that wait have to be copied when it is closed
   * @param behind why a copy that it did not have is behind; null if it is not, at the start
   */
  public record Copies(
      List<RespUpstream> upstreams,
      MirrorSettings settings,
      Duration drainTimeout,
      @Nullable String behind) {}

  /**
   * Has the writes of an upstream go to these copies from now on: those that it had go on with what
   * waits for them, others are added or removed.
   *
   * @param primary one of those that share it, with the settings in force
   * @return completes when each copy has a queue
   */
  CompletableFuture<Void> adopt(RespUpstream primary, Copies next) {
    leader = primary;
    drainTimeout = next.drainTimeout();
    boolean sameSettings = next.settings().equals(mirror.settings());
    mirror.settings(next.settings());
    Map<String, CompletableFuture<Copy>> made = new LinkedHashMap<>();
    Map<String, Copy> before = copies;
    for (RespUpstream each : next.upstreams()) {
      Copy earlier = before.get(each.name());
      made.put(
          each.name(),
          earlier == null
              ? add(primary, each, next)
              : sameSettings && earlier.upstream().equals(each)
                  ? CompletableFuture.completedFuture(earlier)
                  : change(earlier, each, next));
    }
    return CompletableFuture.allOf(made.values().toArray(CompletableFuture[]::new))
        .thenRun(() -> {
          Map<String, Copy> after = new LinkedHashMap<>();
          made.forEach((name, copy) -> after.put(name, copy.resultNow()));
          replace(primary.name(), before, after);
        });
  }

  private CompletableFuture<Copy> add(RespUpstream primary, RespUpstream upstream, Copies next) {
    int number = nextNumber++;
    Loop loop = group.loops().get(number % group.loops().size());
    upstream.hold();
    return CompletableFuture.supplyAsync(
        () -> {
          primary.on(loop, 0); // keys are copied again without clients, too
          var queue =
              new CopyQueue(
                  number, upstream.name(), loop, upstream.side(loop), next.settings(), mirror);
          String behind = next.behind();
          if (behind != null) {
            queue.markBehind(behind);
          }
          var names = new ResyncEnds.Names(primary.name(), upstream.name(), number);
          return new Copy(queue, upstream, loop, new CopyJobs(new Ends(names, loop, queue)));
        },
        loop.executor());
  }

  /** The copy goes on with its queue, over the connections of another upstream of its name. */
  private static CompletableFuture<Copy> change(Copy earlier, RespUpstream next, Copies all) {
    RespUpstream former = earlier.upstream();
    Loop loop = earlier.loop();
    boolean same = former.equals(next);
    if (!same) {
      next.hold();
    }
    return CompletableFuture.supplyAsync(
            () -> {
              CopyQueue queue = earlier.queue();
              if (!same && !next.hasServersOf(former)) {
                queue.markBehind("its servers were changed on " + now());
              }
              return queue.change(next.side(loop), all.settings());
            },
            loop.executor())
        .thenApply(moved -> {
          if (!same) {
            moved.whenComplete((_, _) -> former.release());
          }
          return new Copy(earlier.queue(), next, loop, earlier.jobs());
        });
  }

  private void replace(String name, Map<String, Copy> before, Map<String, Copy> after) {
    copies = after;
    mirror.copies(after.values().stream().map(Copy::queue).toList());
    before.forEach((each, copy) -> {
      if (!after.containsKey(each)) {
        log.info("Upstream {} has no copy {} any more", name, each);
        close(copy);
      }
    });
  }

  /** Returns why copies that are added now are behind. */
  public static String addedNow() {
    return "it was added on " + now() + ": run resync";
  }

  /** Returns why copies are behind if their primary has other servers from now on. */
  public static String primaryChangedNow() {
    return "the servers of the primary were changed on " + now() + ": run resync";
  }

  private static Instant now() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS);
  }

  private static void close(Copy copy) {
    copy.jobs().close();
    copy.queue().close();
    copy.upstream().release();
  }

  /** Drops what waits, and says how much that is. */
  void close(String name) {
    Map<String, Copy> all = copies;
    copies = Map.of();
    mirror.copies(List.of());
    all.forEach((each, copy) -> {
      MirrorStats.Copy last = copy.queue().stats();
      if (!last.isIdle()) {
        log.warn(
            "Copy {} of upstream {} is behind: {} writes were lost at the end, and {} keys were not"
                + " copied again, run resync",
            each,
            name,
            last.queued(),
            last.keysToCopy());
      }
      close(copy);
    });
  }

  /** Completes when no copy has anything to do, or after some time; on any thread. */
  CompletableFuture<Void> empty(Duration timeout) {
    var done = new CompletableFuture<Void>();
    checkEmpty(System.nanoTime() + timeout.toNanos(), done);
    return done;
  }

  private void checkEmpty(long deadline, CompletableFuture<Void> done) {
    boolean empty = copies.values().stream().allMatch(each -> each.queue().stats().isIdle());
    if (empty || System.nanoTime() - deadline >= 0) {
      done.complete(null);
      return;
    }
    try {
      group
          .loops()
          .getFirst()
          .executor()
          .schedule(() -> checkEmpty(deadline, done), CHECK_MILLIS, TimeUnit.MILLISECONDS);
    } catch (RejectedExecutionException _) { // the loops have ended
      done.complete(null);
    }
  }

  /** Returns how far the copies are, if the upstream has the settings in force; none otherwise. */
  MirrorStats statsOf(RespUpstream upstream) {
    return upstream.equals(leader) ? mirror.stats() : MirrorStats.NONE;
  }

  /**
   * Returns the resyncs and comparisons of the copies by their names, if the upstream has the
   * settings in force; none otherwise.
   */
  Map<String, CopyJobs> jobsOf(RespUpstream upstream) {
    Map<String, CopyJobs> jobs = new LinkedHashMap<>();
    if (upstream.equals(leader)) {
      copies.forEach((name, copy) -> jobs.put(name, copy.jobs()));
    }
    return jobs;
  }

  /** Returns the upstreams of the copies, in the order of the settings. */
  List<RespUpstream> upstreams() {
    List<RespUpstream> all = new ArrayList<>();
    copies.values().forEach(each -> all.add(each.upstream()));
    return all;
  }
}
