package io.penstock.core.session;

import io.penstock.core.command.Command;
import io.penstock.core.command.CommandSpec;
import io.penstock.core.command.CommandTable;
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
  private final Transactions transactions;
  private @Nullable Replay replay;

  /**
   * @param command over the frame of the session's input
   */
  Intake(Session session, Command command) {
    this.session = session;
    this.command = command;
    this.local = new LocalReplies(session);
    this.transactions = new Transactions(session);
  }

  /**
   * Takes up the request that was found last. Answers false when it must wait for earlier ones; it
   * is put back then.
   */
  boolean handle() {
    RoutePlan plan = session.loop().router().route(command);
    CommandSpec spec = command.spec();
    if (!session.isAuthenticated() && Authentication.isNeededFor(command)) {
      reject(spec, Transactions.worded(spec, ErrorReplies.NO_AUTH));
      return true;
    }
    if (transactions.isOpen() && transactions.takes(plan, command)) {
      return true;
    }
    switch (plan) {
      case RoutePlan.Single(int slot) -> {
        if (session.order().holdsBack(slot)) {
          return putBack();
        }
        session.sender().forward(Objects.requireNonNull(spec), slot);
      }
      case RoutePlan.Split split -> {
        if (session.order().holdsBackAll()) {
          return putBack();
        }
        session.sender().divide(Objects.requireNonNull(spec), split);
      }
      case RoutePlan.Broadcast broadcast -> {
        if (session.order().holdsBackAll()) {
          return putBack();
        }
        session.sender().broadcast(Objects.requireNonNull(spec), broadcast);
      }
      case RoutePlan.Scan _ -> {
        return scan(Objects.requireNonNull(spec));
      }
      case RoutePlan.Local(CommandSpec which, LocalCommand answer) -> {
        if (!answer(which, answer, command)) {
          return putBack();
        }
      }
      case RoutePlan.Reject(String error) ->
          reject(spec, Transactions.worded(spec, ErrorReplies.encode(error)));
    }
    return true;
  }

  /** Has a part of the session answer; false when the request must wait for earlier ones. */
  private boolean answer(CommandSpec spec, LocalCommand which, Command request) {
    switch (which.area()) {
      case CONNECTION -> local.answer(spec, which, request);
      case TRANSACTION -> {
        return transactions.answer(spec, which);
      }
    }
    return true;
  }

  /** Answers a request that {@code EXEC} has come to; its reply is captured. */
  void answer(Replay by, Command request) {
    if (session.loop().router().route(request)
        instanceof RoutePlan.Local(CommandSpec spec, LocalCommand which)) {
      replay = by;
      try {
        answer(spec, which, request);
      } finally {
        replay = null;
      }
    }
  }

  /** Looks commands up in {@code commands} from the next request on. */
  void adopt(CommandTable commands) {
    command.adopt(commands);
  }

  private boolean scan(CommandSpec spec) {
    long cursor;
    try {
      cursor = ScanCursor.parse(LocalReplies.text(command.frame(), 1));
    } catch (NumberFormatException e) {
      reject(spec, "ERR invalid cursor");
      return true;
    }
    if (session.order().holdsBackAll()) {
      return putBack();
    }
    session.sender().scan(spec, cursor);
    return true;
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
    if (replay != null) {
      replay.begin(request, spec);
      return request;
    }
    request.begin(session, spec, activity.lastBytesAt(), session.profile().mutesNext());
    session.sequence().add(request, session.output());
    return request;
  }

  /** Answers the request that was found last with an error line. */
  void reject(@Nullable CommandSpec spec, String error) {
    reject(spec, ErrorReplies.encode(error));
  }

  void reject(@Nullable CommandSpec spec, byte[] error) {
    begin(spec).deliverError(error, Outcome.REJECTED);
  }

  /** The client's transactions. */
  Transactions transactions() {
    return transactions;
  }

  /** The client is gone. */
  void close() {
    transactions.close();
  }
}
