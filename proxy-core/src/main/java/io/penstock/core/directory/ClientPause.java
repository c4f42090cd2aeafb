package io.penstock.core.directory;

import io.penstock.core.client.Alarm;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.Command;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.LocalCommand;
import io.penstock.core.spec.Trait;
import io.penstock.core.transport.Loop;
import java.util.function.Predicate;

/**
 * {@code CLIENT PAUSE} on one loop: requests that it applies to wait until it ends, and are handled
 * then. Of two pauses at once the later end and the stricter mode apply, as in Redis. Confined to
 * its loop.
 */
public final class ClientPause {

  private final ReadOnlyCalls readOnly;
  private final Runnable resumeAll;
  private final Alarm alarm; // while it is on
  private boolean on;
  private boolean all; // not only commands that may write
  private long until;

  /**
   * @param readOnly calls that a pause of writes does not apply to
   * @param resumeAll resumes all clients of the loop
   */
  public ClientPause(Loop loop, ReadOnlyCalls readOnly, Runnable resumeAll) {
    this.readOnly = readOnly;
    this.resumeAll = resumeAll;
    this.alarm = new Alarm(loop, this::end);
  }

  public boolean isOn() {
    return on;
  }

  /**
   * Begins or extends a pause.
   *
   * @param untilNanos the {@link System#nanoTime()} at which it ends
   * @param everything whether all commands must wait, not only those that may write
   */
  public void begin(long untilNanos, boolean everything) {
    long end = on && until - untilNanos > 0 ? until : untilNanos;
    all = everything || (on && all);
    if (on && end == until) {
      return;
    }
    if (!on) {
      readOnly.reset();
    }
    on = true;
    until = end;
    alarm.cancel();
    alarm.scheduleAt(until);
  }

  /** Ends the pause now: the waiting requests are handled. */
  public void end() {
    if (on) {
      on = false;
      all = false;
      alarm.cancel();
      resumeAll.run();
    }
  }

  /**
   * Returns whether a request must wait. Rejected requests need not. {@code CLIENT UNPAUSE} need
   * not either; in Redis it waits while all commands are paused.
   *
   * @param client the client that sent the request
   * @param execMayWrite whether an {@code EXEC} of the client may write
   */
  public boolean mustWait(
      RoutePlan plan,
      Command request,
      ClientContext client,
      Predicate<ReadOnlyCalls> execMayWrite) {
    return switch (plan) {
      case RoutePlan.Reject _ -> false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.CLIENT_UNPAUSE ->
          false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.EXEC ->
          all || execMayWrite.test(readOnly);
      default -> all || mayWriteByItself(request, client);
    };
  }

  private boolean mayWriteByItself(Command request, ClientContext client) {
    CommandSpec spec = request.spec();
    return spec != null && mayWrite(spec) && !readOnly.isReadOnly(spec, request, client);
  }

  /** Returns whether a pause of writes applies to the command. */
  public static boolean mayWrite(CommandSpec spec) {
    return spec.isWrite() || spec.has(Trait.MAY_REPLICATE);
  }
}
