package io.penstock.core.directory;

import io.penstock.core.command.ServerFacts;
import io.penstock.core.limit.PasswordGuesses;
import io.penstock.core.limit.TotalMemory;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyStats;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** All clients of a listener, on all loops. Safe from any thread. */
public final class ClientDirectory {

  /** The id of no client: ids begin with 1. */
  public static final long NO_CLIENT = 0;

  private final TotalMemory memory;
  private final AllClients process;
  private final Label listener;
  private volatile ProxyStats statsAtReset = ProxyStats.NONE;
  private final List<LoopClients> loops = new CopyOnWriteArrayList<>();

  private final AtomicReference<@Nullable Pause> pause = new AtomicReference<>();
  private final PasswordGuesses guesses = new PasswordGuesses();

  /** The clients of the only listener. */
  public ClientDirectory() {
    this(new AllClients(new TotalMemory()), Label.ONLY);
  }

  /**
   * @param process with the clients of all listeners
   * @param listener of the clients
   */
  public ClientDirectory(AllClients process, Label listener) {
    this.process = process;
    this.memory = process.memory().ofListener();
    this.listener = listener;
  }

  /** The clients of all listeners. Safe from any thread. */
  public static final class AllClients {

    private final TotalMemory memory;
    private final AtomicLong lastId = new AtomicLong();

    /**
     * @param memory of all clients
     */
    public AllClients(TotalMemory memory) {
      this.memory = memory;
    }

    TotalMemory memory() {
      return memory;
    }
  }

  /** A {@code CLIENT PAUSE}, for loops that get their first client while it lasts. */
  private record Pause(long untilNanos, boolean everything) {

    /** Of two pauses at once the later end and the stricter mode apply. */
    Pause and(@Nullable Pause other) {
      if (other == null || System.nanoTime() - other.untilNanos >= 0) {
        return this;
      }
      return new Pause(
          untilNanos - other.untilNanos > 0 ? untilNanos : other.untilNanos,
          everything || other.everything);
    }
  }

  /** Records a pause. To be called before the loops begin it. */
  public void pauseBegan(long untilNanos, boolean everything) {
    var begun = new Pause(untilNanos, everything);
    pause.updateAndGet(begun::and);
  }

  /** Records that the pause has ended. To be called before the loops end it. */
  public void pauseEnded() {
    pause.set(null);
  }

  /** Returns the listener, for log lines about its clients. */
  public Label listener() {
    return listener;
  }

  /** Returns the memory of all clients. */
  public TotalMemory memory() {
    return memory;
  }

  /** The wrong passwords that clients of the listener have tried. */
  public PasswordGuesses guesses() {
    return guesses;
  }

  /** Adds a loop, on that loop. A pause applies to it as well. */
  public void add(LoopClients loop) {
    loops.add(loop);
    Pause now = pause.get();
    if (now != null && now.untilNanos() - System.nanoTime() > 0) {
      loop.pause().begin(now.untilNanos(), now.everything());
    }
  }

  /** Removes a loop whose clients have all left. On that loop. */
  public void remove(LoopClients loop) {
    loops.remove(loop);
  }

  /** Returns the statistics at the last call of {@code CONFIG RESETSTAT}. */
  public ProxyStats statsAtReset() {
    return statsAtReset;
  }

  /** {@code INFO} counts from {@code now} on. */
  public void resetStats(ProxyStats now) {
    statsAtReset = now;
  }

  /** Returns the next client id: unique in the process and growing, as in Redis. */
  public long nextId() {
    return process.lastId.incrementAndGet();
  }

  /**
   * Runs a function on each loop and collects the results.
   *
   * @return completes on one of the loops
   */
  public <T> CompletionStage<List<T>> onEachLoop(Function<LoopClients, T> function) {
    List<CompletableFuture<T>> answers = new ArrayList<>();
    for (LoopClients loop : loops) {
      answers.add(CompletableFuture.supplyAsync(() -> function.apply(loop), loop.executor()));
    }
    return CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
        .thenApply(_ -> answers.stream().map(CompletableFuture::resultNow).toList());
  }

  /**
   * Runs an action for each client, on its loop, in slices.
   *
   * @return completes on one of the loops when it was run for all clients
   */
  public CompletionStage<Void> onEachClient(Consumer<ListedClient> action) {
    return onEachLoopAsync(loop -> ClientIteration.begin(loop, action));
  }

  /**
   * Closes clients of the listener at once, like {@code CLIENT KILL}.
   *
   * @param options of that command, such as {@code user} and its name
   * @param servers behind the listener, which decide which options there are
   * @return completes on one of the loops with the number of clients
   * @throws IllegalArgumentException if an option is unknown or its value is not valid
   */
  public CompletionStage<Integer> kill(Map<String, String> options, ServerFacts servers) {
    return kill(ClientFilter.ofKill(options, servers), NO_CLIENT);
  }

  /**
   * Closes the clients that the filter accepts; completes like {@link #kill(Map, ServerFacts)}.
   *
   * @param except the id of a client that is not closed, or {@link #NO_CLIENT}
   */
  public CompletionStage<Integer> kill(ClientFilter filter, long except) {
    var killed = new AtomicInteger();
    return onEachClient(
            one -> {
              if (one.id() != except && filter.accepts(one)) {
                one.closeNow("CLIENT KILL");
                killed.incrementAndGet();
              }
            })
        .thenApply(_ -> killed.get());
  }

  /**
   * Runs an asynchronous task on each loop.
   *
   * @return completes on one of the loops when all tasks are complete
   */
  public CompletionStage<Void> onEachLoopAsync(
      Function<LoopClients, CompletionStage<Boolean>> task) {
    return onEachLoop(task)
        .thenCompose(tasks ->
            CompletableFuture.allOf(
                tasks.stream()
                    .map(CompletionStage::toCompletableFuture)
                    .toArray(CompletableFuture[]::new)));
  }
}
