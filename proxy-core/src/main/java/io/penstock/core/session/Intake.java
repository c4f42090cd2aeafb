package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.LocalCommand;
import io.penstock.core.observe.Outcome;
import io.penstock.core.route.RoutePlan;
import io.penstock.core.route.ScanCursor;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes up one request after the other: what becomes of each, as the session stands. */
final class Intake {

  private final Session session;
  private final Command command;
  private final LocalReplies local;

  /**
   * @param command over the frame of the session's input
   */
  Intake(Session session, Command command) {
    this.session = session;
    this.command = command;
    this.local = new LocalReplies(session);
  }

  /**
   * Takes up the request that was found last. Answers false when it must wait for earlier ones; it
   * is put back then.
   */
  boolean handle() {
    RoutePlan plan = session.loop().router().route(command);
    CommandSpec spec = command.spec();
    if (!session.isAuthenticated() && Authentication.isNeededFor(command)) {
      reject(spec, ErrorReplies.NO_AUTH);
      return true;
    }
    switch (plan) {
      case RoutePlan.Single(int slot) -> {
        if (session.order().holdsBack(slot)) {
          return putBack();
        }
        session.sender().forward(Objects.requireNonNull(spec), slot);
      }
      case RoutePlan.Script(int slot) -> {
        if (session.order().holdsBack(slot)) {
          return putBack();
        }
        session.loop().directory().scripts().note(Objects.requireNonNull(spec), command.frame());
        session.sender().forward(spec, slot);
      }
      case RoutePlan.Split _, RoutePlan.Broadcast _, RoutePlan.Scan _ -> {
        if (session.order().holdsBackAll()) {
          return putBack();
        }
        toMany(plan, Objects.requireNonNull(spec));
      }
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) -> {
        switch (answer.area()) {
          case CONNECTION -> local.answer(which, answer, command);
        }
      }
      case RoutePlan.Reject(String error) -> reject(spec, error);
    }
    return true;
  }

  private void toMany(RoutePlan plan, CommandSpec spec) {
    switch (plan) {
      case RoutePlan.Split split -> session.sender().divide(spec, split);
      case RoutePlan.Broadcast broadcast -> {
        session.loop().directory().scripts().note(spec, command.frame());
        session.sender().broadcast(spec, broadcast);
      }
      case RoutePlan.Scan _ -> scan(spec);
      default -> throw new IllegalArgumentException(plan + " is for one node");
    }
  }

  private void scan(CommandSpec spec) {
    try {
      session.sender().scan(spec, ScanCursor.parse(LocalReplies.text(command.frame(), 1)));
    } catch (NumberFormatException e) {
      reject(spec, "ERR invalid cursor");
    }
  }

  private boolean putBack() {
    session.input().putBack();
    return false;
  }

  /** Takes a place among the replies for the request that was found last. */
  Request begin(@Nullable CommandSpec spec) {
    Activity activity = session.activity();
    activity.request(spec);
    Request request = session.loop().takeRequest();
    request.begin(session, spec, activity.lastBytesAt(), session.profile().mutesNext());
    session.sequence().add(request, session.output());
    return request;
  }

  /** Answers the request that was found last with an error line. */
  void reject(@Nullable CommandSpec spec, String error) {
    reject(spec, ErrorReplies.encode(error));
  }

  private void reject(@Nullable CommandSpec spec, byte[] error) {
    begin(spec).deliverError(error, Outcome.REJECTED);
  }
}
