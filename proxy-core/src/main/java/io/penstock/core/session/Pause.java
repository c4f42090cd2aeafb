package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.route.RoutePlan;
import java.util.List;
import java.util.Set;

/**
 * {@code CLIENT PAUSE} on one loop: requests that it concerns stay where they are until it ends,
 * and are carried out then. Of two pauses at once the longer time and the stricter kind hold, as in
 * Redis. Confined to its loop.
 */
final class Pause {

  /**
   * What may write although servers do not call it a write: CMD_MAY_REPLICATE in Redis's source,
   * which {@code COMMAND} does not tell. A script or function that declares {@code no-writes} may
   * not.
   */
  private static final Set<String> MAY_REPLICATE =
      Set.of("eval", "evalsha", "fcall", "fcall_ro", "pfcount", "publish", "spublish");

  private final ReadOnlyCalls readOnly = new ReadOnlyCalls();
  private final SessionLoop loop;
  private final Alarm alarm; // while it is on
  private boolean on;
  private boolean all; // not only what may write
  private long until;

  Pause(SessionLoop loop) {
    this.loop = loop;
    this.alarm = new Alarm(() -> loop, this::end);
  }

  boolean isOn() {
    return on;
  }

  /**
   * Pauses, or pauses longer.
   *
   * @param untilNanos {@link System#nanoTime()} at which it ends
   */
  void begin(long untilNanos, boolean everything) {
    long end = on && until - untilNanos > 0 ? until : untilNanos;
    all = everything || (on && all);
    if (on && end == until) {
      return;
    }
    if (!on) {
      readOnly.forget();
    }
    on = true;
    until = end;
    alarm.cancel();
    alarm.at(until);
  }

  /** Ends it now: what was held goes its way. */
  void end() {
    if (on) {
      on = false;
      all = false;
      alarm.cancel();
      List.copyOf(loop.sessions()).forEach(Session::takeUp);
    }
  }

  /**
   * Whether a request must wait. Refusals need not; and {@code CLIENT UNPAUSE} is let through,
   * which in Redis a pause of everything holds back as well.
   *
   * @param spec the request's command
   */
  boolean holds(RoutePlan plan, CommandSpec spec, Command request, Session client) {
    return switch (plan) {
      case RoutePlan.Reject _ -> false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.CLIENT_UNPAUSE ->
          false;
      case RoutePlan.Local(_, LocalCommand command) when command == LocalCommand.EXEC ->
          all || client.intake().transactions().mayWrite(readOnly);
      default -> all || (mayWrite(spec) && !readOnly.contains(spec, request, client));
    };
  }

  /** Whether a pause of writes concerns the command. */
  static boolean mayWrite(CommandSpec spec) {
    return spec.isWrite() || MAY_REPLICATE.contains(spec.name());
  }
}
