package io.penstock.core.client;

import io.penstock.core.command.Command;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.limit.Allowance;
import io.penstock.core.transport.Sliced;
import io.penstock.core.transport.Slices;

/**
 * How much a client may have Penstock do by itself in one turn of the loop: what is behind that in
 * its pipeline waits for another. Commands that go to nodes count nothing. Confined to its loop.
 */
public final class TurnBudget implements Sliced {

  /** Steps that a small answer of Penstock's own takes. */
  public static final int ANSWER = 4;

  /** As many steps as a few slices have. */
  private static final int MOST = 4 * Slices.STEPS_PER_SLICE;

  private final Client client;
  private final Allowance account;
  private final Slices slices;
  private int spent;
  private boolean used;

  public TurnBudget(Client client, Allowance account, Slices slices) {
    this.client = client;
    this.account = account;
    this.slices = slices;
  }

  /** About what it takes to answer a request: much for what tells of all clients or commands. */
  public static int cost(LocalCommand which, Command request) {
    return request.argc()
        + switch (which) {
          case INFO, COMMAND_INFO -> 2_000;
          case CLIENT_KILL, CLIENT_LIST, CLIENT_PAUSE, CLIENT_UNBLOCK, CLIENT_UNPAUSE -> 1_000;
          case COMMAND_LIST, CONFIG_GET -> 500;
          default -> ANSWER;
        };
  }

  /**
   * So many steps were done, or are about to be, for a request of the client.
   *
   * @return false when it waits for another turn with the next one
   */
  public boolean spend(int steps) {
    spent += steps;
    if (spent >= MOST && !used) {
      used = true;
      slices.start(this);
    }
    return !used;
  }

  /** Whether the client waits for another turn. */
  public boolean isSpent() {
    return used;
  }

  /** Another turn has come. */
  @Override
  public boolean step() {
    spent = 0;
    used = false;
    client.processInput();
    account.checkInput();
    return false;
  }

  @Override
  public void onFailure(Throwable cause) {
    client.fail(cause);
  }
}
