package io.penstock.core.answer;

import io.penstock.core.transport.Sliced;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Does something with each client that a loop has now, of which there may be ten thousands: in
 * slices. Confined to the loop.
 */
public final class ClientIteration implements Sliced {

  /**
   * Clients in a slice: a line of {@code CLIENT LIST} takes some microseconds, to close one more.
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
   * Begins on the loop; few clients are gone through at once.
   *
   * @param action for each client that is still there when its turn comes
   * @return completes on the loop when all clients had their turn
   */
  static CompletionStage<Boolean> begin(LoopClients loop, Consumer<ListedClient> action) {
    var round = new ClientIteration(loop, action);
    if (round.step()) {
      loop.slices().start(round);
    }
    return round.ended;
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
