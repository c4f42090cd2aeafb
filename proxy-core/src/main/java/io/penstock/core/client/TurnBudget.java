package io.penstock.core.client;

import io.penstock.core.command.Command;
import io.penstock.core.limit.Allowance;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * How much work a client may cause within Penstock itself in one loop turn: the rest of its
 * pipeline waits for another turn. Commands that go to nodes cost nothing. Confined to its loop.
 */
public final class TurnBudget implements Sliced {

  /** Steps for a small reply of Penstock's own. */
  public static final int LOCAL_REPLY = 4;

  /** Steps in one loop turn: a few slices. */
  private static final int MOST = 4 * Slices.STEPS_PER_SLICE;

  private final Client client;
  private final Allowance account;
  private final Slices slices;
  private int spent;
  private boolean overspent;

  public TurnBudget(Client client, Allowance account, Slices slices) {
    this.client = client;
    this.account = account;
    this.slices = slices;
  }

  /**
   * Returns the approximate steps to answer a request: many for replies about all clients or
   * commands.
   */
  public static int cost(LocalCommand which, Command request) {
    return request.argc()
        + switch (which) {
          case INFO, COMMAND_INFO -> 2_000;
          case CLIENT_KILL, CLIENT_LIST, CLIENT_PAUSE, CLIENT_UNBLOCK, CLIENT_UNPAUSE -> 1_000;
          case COMMAND_LIST, CONFIG_GET -> 500;
          default -> LOCAL_REPLY;
        };
  }

  /**
   * Counts steps that a request of the client takes.
   *
   * @return false if the client's next request must wait for another turn
   */
  public boolean spend(int steps) {
    spent += steps;
    if (spent >= MOST && !overspent) {
      overspent = true;
      slices.start(this);
    }
    return !overspent;
  }

  /** Returns whether the client waits for another turn. */
  public boolean isSpent() {
    return overspent;
  }

  /** Begins another turn. */
  @Override
  public boolean step() {
    spent = 0;
    overspent = false;
    client.processInput();
    account.checkInput();
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }
}
