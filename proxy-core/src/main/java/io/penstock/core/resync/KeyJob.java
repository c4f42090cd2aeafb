package io.penstock.core.resync;

import io.penstock.core.observe.CopyJobStatus;
import io.penstock.core.observe.CopyJobStatus.Kind;
import io.penstock.core.observe.CopyJobStatus.ListedKey;
import io.penstock.core.observe.CopyJobStatus.State;
import io.penstock.core.resync.KeySource.Keys;
import io.penstock.core.transport.Loop;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks the keys of the primary, then those of the copy, and does something with each. Has few in
 * flight, keeps to a number of keys per second, and waits while a node, the copy's queue or the
 * loop is behind. Confined to the jobs' loop, but for {@link #status}.
 */
abstract class KeyJob {

  private static final Logger log = LoggerFactory.getLogger(KeyJob.class);

  static final long MOST_BYTES_IN_FLIGHT = 64 * 1024 * 1024;

  private static final String NO_ROOM = "waits: the copy does not keep up with other writes";

  private static final int MOST_IN_FLIGHT = 100;
  private static final int MOST_LISTED = 100;
  private static final long TICK_MILLIS = 10;
  private static final long LATE_NANOS = TimeUnit.MILLISECONDS.toNanos(60);
  private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long PUBLISH_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long LOG_NANOS = TimeUnit.MINUTES.toNanos(1);

  private final ResyncEnds ends;
  private final Kind kind;
  private final Questions primary;
  private final Questions copy;
  private final Loop loop;
  private final Throttle throttle;
  private final Rate rate = new Rate();
  private final Deque<Entry> pending = new ArrayDeque<>();
  private final Map<String, Long> results = new LinkedHashMap<>();
  private final List<ListedKey> listed = new ArrayList<>();
  private State state = State.RUNNING;
  private @Nullable String reason;
  private Instant since = Instant.now();
  private @Nullable Instant endedAt;
  private @Nullable Boolean level;
  private Phase phase = Phase.NONE;
  private int round = 1;
  private int keysPerSecond;
  private KeySource ofPrimary;
  private KeySource ofCopy;
  private @Nullable Keys unexamined;
  private boolean busy; // with reading keys, or with a step before or after that
  private boolean probing;
  private int inFlight;
  private long bytesInFlight;
  private long keys;
  private long nextProbe;
  private long lastTick;
  private long lastPublished;
  private long lastLogged;
  private @Nullable Future<?> ticks;
  private volatile CopyJobStatus status;

  /** Which keys are walked. */
  enum Phase {
    NONE("none"),
    PRIMARY("primary"),
    COPY("copy");

    private final String text;

    Phase(String text) {
      this.text = text;
    }
  }

  KeyJob(Kind kind, ResyncEnds ends, int keysPerSecond) {
    this.kind = kind;
    this.ends = ends;
    this.loop = ends.loop();
    this.primary = new Questions(loop, ends::primary, "primary");
    this.copy = new Questions(loop, ends::copy, "copy");
    this.keysPerSecond = keysPerSecond;
    this.throttle = new Throttle(keysPerSecond, loop.tick());
    this.ofPrimary = primaryKeys();
    this.ofCopy = copyKeys();
    this.lastLogged = loop.now();
    this.lastTick = loop.now();
    this.status = snapshot();
  }

  abstract KeySource primaryKeys();

  abstract KeySource copyKeys();

  /** Does what comes before the keys. May be called again if it fails. */
  abstract CompletableFuture<Void> prepare();

  /** Returns whether keys of the copy that the primary has, too, are left out. */
  abstract boolean leavesOutCommonKeys();

  /** Returns whether there is room for another key. */
  abstract boolean hasRoom();

  /** Begins with some keys of those that are next. */
  abstract void process(Deque<Entry> next);

  /** Returns whether something is under way that {@link #release} has ended. */
  abstract boolean isOccupied();

  /** All keys were walked. */
  abstract void finish();

  final ResyncEnds ends() {
    return ends;
  }

  final Questions primary() {
    return primary;
  }

  final Questions copy() {
    return copy;
  }

  final Loop loop() {
    return loop;
  }

  final State state() {
    return state;
  }

  final Phase phase() {
    return phase;
  }

  final int round() {
    return round;
  }

  /** Returns how the job stands. Safe from any thread. */
  final CopyJobStatus status() {
    return status;
  }

  /** Begins, or goes on. */
  final void run(int perSecond) {
    keysPerSecond = perSecond;
    throttle.isOpen(loop.tick());
    throttle.change(perSecond);
    state = State.RUNNING;
    reason = null;
    publish();
    log.info("{} begins: at most {} keys per second", label(), perSecond);
    Future<?> earlier = ticks;
    if (earlier != null) {
      earlier.cancel(false);
    }
    ticks =
        loop.executor()
            .scheduleWithFixedDelay(this::tick, TICK_MILLIS, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Pauses until it is run again; what is in flight ends. */
  final void stop() {
    if (state.isActive()) {
      endTicks(State.STOPPED, "stopped by an operator");
      log.info("{} is stopped after {} keys", label(), keys);
    }
  }

  /** Ends because the upstream does. */
  final void close() {
    if (state.isActive()) {
      endTicks(State.FAILED, "the upstream was closed");
    }
  }

  final void fail(String why) {
    if (state.isActive()) {
      endTicks(State.FAILED, why);
      endedAt = Instant.now();
      publish();
      log.warn("{} failed after {} keys: {}", label(), keys, why);
    }
  }

  /** Ends after all keys. */
  final void end(@Nullable String why, @Nullable Boolean isLevel) {
    level = isLevel;
    phase = Phase.NONE;
    endTicks(State.ENDED, why);
    endedAt = Instant.now();
    publish();
    log.info("{} ended after {} keys: {}{}", label(), keys, results, why == null ? "" : "; " + why);
  }

  private void endTicks(State next, @Nullable String why) {
    state = next;
    reason = why;
    Future<?> running = ticks;
    if (running != null) {
      running.cancel(false);
    }
    publish();
  }

  /** Walks all keys again. */
  final void beginRound() {
    round++;
    phase = Phase.NONE;
    ofPrimary = primaryKeys();
    ofCopy = copyKeys();
    keys = 0;
    results.clear();
    listed.clear();
  }

  final String label() {
    String what = kind == Kind.RESYNC ? "Resync" : "Comparison";
    return "%s of copy %s of upstream %s"
        .formatted(what, ends.names().copy(), ends.names().upstream());
  }

  private void tick() {
    long now = loop.tick();
    boolean late = now - lastTick > LATE_NANOS; // the loop has enough to do for clients
    lastTick = now;
    guarded(() -> {
      if (state == State.PAUSED && !probing && now - nextProbe >= 0) {
        probe();
      } else if (state == State.RUNNING && !late) {
        pump(now);
      }
    });
    rate.sample(now, keys);
    if (now - lastPublished >= PUBLISH_NANOS) {
      lastPublished = now;
      publish();
    }
    if (now - lastLogged >= LOG_NANOS && state.isActive()) {
      lastLogged = now;
      log.info("{}: {}", label(), progress());
    }
  }

  private String progress() {
    CopyJobStatus now = status;
    return "%d of about %d keys, %.0f per second, %s%s"
        .formatted(
            now.keys(),
            now.estimate(),
            now.rate(),
            results,
            now.reason() == null ? "" : "; " + now.reason());
  }

  final void guarded(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      log.error("{} failed", label(), e);
      fail("a defect, see the log");
    }
  }

  /**
   * Goes on with the result of a request.
   *
   * @param noAnswer told why there is none
   */
  final <T extends @Nullable Object> void on(
      CompletableFuture<T> answer, Consumer<T> action, Consumer<String> noAnswer) {
    answer.whenComplete((result, failure) ->
        guarded(() -> {
          if (failure == null) {
            action.accept(result);
            return;
          }
          Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
          switch (cause) {
            case NoAnswerException none -> noAnswer.accept(String.valueOf(none.getMessage()));
            case ErrorReplyException error -> fail("a node answered: " + error.getMessage());
            case null, default -> throw new IllegalStateException(cause);
          }
        }));
  }

  private void pump(long now) {
    if (phase == Phase.NONE) {
      prepareOnce();
      return;
    }
    while (state == State.RUNNING && mayTake()) {
      process(pending);
    }
    if (state == State.RUNNING) {
      reason = pending.isEmpty() || hasRoom() ? null : NO_ROOM;
    }
    boolean ended = source().isEnded() && unexamined == null && !busy;
    if (!ended && !busy && pending.isEmpty() && throttle.isOpen(now)) {
      readKeys();
    } else if (ended && pending.isEmpty() && inFlight == 0 && !isOccupied()) {
      nextPhase();
    }
  }

  private KeySource source() {
    return phase == Phase.COPY ? ofCopy : ofPrimary;
  }

  private void prepareOnce() {
    if (!busy) {
      busy = true;
      on(
          prepare(),
          _ -> {
            busy = false;
            phase = Phase.PRIMARY;
          },
          this::pauseAfterStep);
    }
  }

  private void pauseAfterStep(String why) {
    busy = false;
    pause(why);
  }

  private void nextPhase() {
    if (phase == Phase.PRIMARY) {
      phase = Phase.COPY;
    } else {
      finish();
    }
  }

  private boolean mayTake() {
    Entry next = pending.peek();
    return next != null
        && inFlight < MOST_IN_FLIGHT
        && (bytesInFlight == 0 || bytesInFlight + next.weight() <= MOST_BYTES_IN_FLIGHT)
        && hasRoom()
        && primary.mayRead(next.key())
        && copy.mayRead(next.key());
  }

  private void readKeys() {
    busy = true;
    Keys again = unexamined;
    CompletableFuture<Keys> next =
        again == null
            ? source().next(throttle.portion())
            : CompletableFuture.completedFuture(again);
    CompletableFuture<List<Entry>> examined =
        next.thenCompose(found -> {
          if (again == null) {
            throttle.passed(found.keys().size());
          }
          unexamined = found;
          return examine(found);
        });
    on(
        examined,
        entries -> {
          unexamined = null;
          busy = false;
          pending.addAll(entries);
        },
        this::pauseAfterStep);
  }

  private CompletableFuture<List<Entry>> examine(Keys found) {
    boolean isThere = phase == Phase.COPY && leavesOutCommonKeys();
    List<Entry> entries = new ArrayList<>();
    List<CompletableFuture<?>> asked = new ArrayList<>();
    int[] common = new int[1];
    for (byte[] key : found.keys()) {
      var request =
          isThere ? Questions.request("EXISTS", key) : Questions.request("MEMORY", "USAGE", key);
      asked.add(
          primary
              .atKey(found.database(), key, request, new Gathered(1024))
              .handle((reply, failure) -> {
                long number = failure == null ? reply.number() : numberOf(failure);
                if (isThere && number > 0) {
                  common[0]++;
                } else {
                  entries.add(new Entry(found.database(), key, Math.max(0, number), 0));
                }
                return null;
              }));
    }
    return CompletableFuture.allOf(asked.toArray(CompletableFuture[]::new))
        .thenApply(_ -> {
          count("in both", common[0]);
          return entries;
        });
  }

  /** The server does not tell how large a key is, or that it has it: then it is copied. */
  private static long numberOf(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof ErrorReplyException) {
      return 0;
    }
    throw new CompletionException(cause);
  }

  /** Waits until the nodes of both sides answer. */
  final void pause(String why) {
    if (state == State.RUNNING) {
      state = State.PAUSED;
      reason = why;
      nextProbe = loop.now() + PROBE_NANOS;
      publish();
      log.warn("{} is paused after {} keys: {}", label(), keys, why);
    }
  }

  private void probe() {
    probing = true;
    probeBoth()
        .thenAccept(trouble ->
            guarded(() -> {
              probing = false;
              nextProbe = loop.tick() + PROBE_NANOS;
              if (state == State.PAUSED) {
                reason = trouble;
                if (trouble == null) {
                  state = State.RUNNING;
                  log.info("{} goes on", label());
                }
                publish();
              }
            }));
  }

  /** Completes with what is wrong with a node of either side; null if all answer. */
  final CompletableFuture<@Nullable String> probeBoth() {
    return trouble(primary).thenCombine(trouble(copy), (one, other) -> one == null ? other : one);
  }

  private static CompletableFuture<@Nullable String> trouble(Questions side) {
    return side.probe()
        .handle((_, failure) -> {
          Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
          return cause == null ? null : "the %s: %s".formatted(side.name(), cause.getMessage());
        });
  }

  final void acquire(Entry entry) {
    inFlight++;
    bytesInFlight += entry.weight();
  }

  final void release(Entry entry) {
    inFlight--;
    bytesInFlight -= entry.weight();
  }

  /** Puts a key back, in front of the others. */
  final void putBack(Entry entry) {
    pending.addFirst(entry);
  }

  /** Counts keys that the job is done with. */
  final void count(String result, int number) {
    if (number > 0) {
      keys += number;
      results.merge(result, (long) number, Long::sum);
    }
  }

  /** Counts something about keys that are counted, too. */
  final void countBeside(String result) {
    results.merge(result, 1L, Long::sum);
  }

  final long counted(String result) {
    return results.getOrDefault(result, 0L);
  }

  final void list(Entry entry, String what) {
    if (listed.size() < MOST_LISTED) {
      listed.add(new ListedKey(entry.database(), KeyName.of(entry.key()), what));
    }
  }

  final void publish() {
    status = snapshot();
  }

  private CopyJobStatus snapshot() {
    long all = Math.max(keys, estimate());
    double now = rate.perSecond();
    long eta = now > 0 && state.isActive() ? (long) ((all - keys) / now) : -1;
    return new CopyJobStatus(
        kind,
        state,
        reason,
        since,
        endedAt,
        phase.text,
        round,
        keysPerSecond,
        keys,
        all,
        state == State.RUNNING ? now : 0,
        eta,
        results,
        listed,
        level);
  }

  private long estimate() {
    long first = Math.max(0, ofPrimary.estimate());
    long second = ofCopy.estimate();
    return first + (second < 0 ? first : second);
  }
}
