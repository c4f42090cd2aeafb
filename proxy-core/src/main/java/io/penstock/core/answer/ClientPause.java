package io.penstock.core.answer;

import io.penstock.core.client.Alarm;
import io.penstock.core.client.ClientContext;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.transport.Loop;
import java.util.Set;
import java.util.function.Predicate;

/**
 * {@code CLIENT PAUSE} on one loop: requests that it concerns stay where they are until it ends,
 * and are carried out then. Of two pauses at once the longer time and the stricter kind hold, as in
 * Redis. Confined to its loop.
 */
public final class ClientPause {

  /**
   * What may write although servers do not call it a write: CMD_MAY_REPLICATE in Redis's source,
   * which {@code COMMAND} does not tell. A script or function that declares {@code no-writes} may
   * not.
   */
  private static final Set<String> MAY_REPLICATE =
      Set.of("eval", "evalsha", "fcall", "fcall_ro", "pfcount", "publish", "spublish");

  private final ReadOnlyCalls readOnly;
  private final Runnable takeUpAll;
  private final Alarm alarm; // while it is on
  private boolean on;
  private boolean all; // not only what may write
  private long until;

  /**
   * @param readOnly calls that a pause of writes does not concern
   * @param takeUpAll has all clients of the loop go on
   */
  public ClientPause(Loop loop, ReadOnlyCalls readOnly, Runnable takeUpAll) {
    this.readOnly = readOnly;
    this.takeUpAll = takeUpAll;
    this.alarm = new Alarm(loop, this::end);
  }

  public boolean isOn() {
    return on;
  }

  /**
   * Pauses, or pauses longer.
   *
   * @param untilNanos {@link System#nanoTime()} at which it ends
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

  /** Ends it now: what was held goes its way. */
  void end() {
    if (on) {
      on = false;
      all = false;
      alarm.cancel();
      takeUpAll.run();
    }
  }

  /**
   * Whether a request must wait. Refusals need not; and {@code CLIENT UNPAUSE} is let through,
   * which in Redis a pause of everything holds back as well.
   *
   * @param asker the client
   * @param execMayWrite whether an {@code EXEC} of the client may write
   */
  public boolean mustWait(
      RoutePlan plan, Command request, ClientContext asker, Predicate<ReadOnlyCalls> execMayWrite) {
    return switch (plan) {
      case RoutePlan.Reject _ -> false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.CLIENT_UNPAUSE ->
          false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.EXEC ->
          all || execMayWrite.test(readOnly);
      default -> all || mayWriteByItself(request, asker);
    };
  }

  private boolean mayWriteByItself(Command request, ClientContext asker) {
    CommandSpec spec = request.spec();
    return spec != null && mayWrite(spec) && !readOnly.isReadOnly(spec, request, asker);
  }

  /** Whether a pause of writes concerns the command. */
  public static boolean mayWrite(CommandSpec spec) {
    return spec.isWrite() || MAY_REPLICATE.contains(spec.name());
  }
}
