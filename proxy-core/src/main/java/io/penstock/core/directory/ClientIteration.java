package io.penstock.core.directory;

import io.penstock.core.transport.Sliced;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Runs an action for each client of a loop, in slices: there may be tens of thousands of them.
 * Confined to the loop.
 */
public final class ClientIteration implements Sliced {

  /**
   * Clients in a slice: a line of {@code CLIENT LIST} takes some microseconds, a close takes
   * longer.
   */
  public static final int CLIENTS = 256;

  private final Iterator<? extends ListedClient> clients;
  private final Consumer<ListedClient> action;
  private final CompletableFuture<Boolean> ended = new CompletableFuture<>();

  private ClientIteration(LoopClients loop, Consumer<ListedClient> action) {
    this.clients = List.copyOf(loop.clients()).iterator();
    this.action = action;
  }

  /**
   * Starts on the loop; if there are few clients the action runs for all of them at once.
   *
   * @param action runs for each client that is still connected by then
   * @return completes on the loop when it was run for all clients
   */
  public static CompletionStage<Boolean> begin(LoopClients loop, Consumer<ListedClient> action) {
    var iteration = new ClientIteration(loop, action);
    if (iteration.step()) {
      loop.slices().start(iteration);
    }
    return iteration.ended;
  }

  @Override
  public boolean step() {
    for (int left = CLIENTS; left > 0 && clients.hasNext(); left--) {
      ListedClient client = clients.next();
      if (!client.isClosed()) {
        action.accept(client);
      }
    }
    if (clients.hasNext()) {
      return true;
    }
    ended.complete(true);
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    ended.completeExceptionally(cause);
  }
}
