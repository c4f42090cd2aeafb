package io.penstock.core.session;

import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.Notice;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at a loop's clients now and then, all of them at once: no client has a timer of its own.
 * Closes those that keep Penstock waiting, or memory, and tells of it. Confined to its loop.
 */
final class Sweep {

  private static final Logger log = LoggerFactory.getLogger(Sweep.class);

  /** So many clients that were delayed go on in one tick; the others in the next. */
  private static final int MOST_GO_ON = 1_000;

  private final SessionLoop loop;
  private final ClientTimeouts timeouts;
  private final long period;
  private final Set<Allowance> slow = new LinkedHashSet<>();
  private final Map<CloseReason, Notice> notices = new EnumMap<>(CloseReason.class);
  private final Set<Authentication> delayed = new LinkedHashSet<>();
  private final Notice wrongPassword = new Notice();
  private final Notice full = new Notice();
  private final Notice paused = new Notice();
  private final Notice tooLarge = new Notice();
  private long sweptAt;

  Sweep(SessionLoop loop) {
    this.loop = loop;
    this.timeouts = loop.settings().clientLimits().timeouts();
    this.period = timeouts.lookNanos();
    this.sweptAt = loop.now();
    for (CloseReason reason : CloseReason.values()) {
      notices.put(reason, new Notice());
    }
  }

  /** A client is above its soft limit. */
  void watch(Allowance client) {
    slow.add(client);
  }

  /** It is not any more, or gone. */
  void forget(Allowance client) {
    slow.remove(client);
  }

  /** A client has failed to authenticate and waits. */
  void delay(Authentication client) {
    delayed.add(client);
  }

  /** Called several times per command timeout. */
  void tick(long now) {
    loop.memory().tick();
    goOn(now);
    for (Allowance client : List.copyOf(slow)) {
      client.check(now);
    }
    if (now - sweptAt >= period) {
      sweptAt = now;
      for (Session session : List.copyOf(loop.sessions())) {
        CloseReason reason = session.activity().overdue(session, timeouts, now);
        if (reason != null) {
          session.allowance().end(reason);
        } else {
          session.input().idle();
        }
      }
      loop.memory().look();
      loop.requests().look();
    }
  }

  /**
   * Ends the delays that are over; a client that fails again is delayed anew, behind the others.
   */
  private void goOn(long now) {
    if (delayed.isEmpty()) {
      return;
    }
    List<Authentication> over = new ArrayList<>();
    for (Iterator<Authentication> all = delayed.iterator();
        all.hasNext() && over.size() < MOST_GO_ON; ) {
      Authentication client = all.next();
      if (client.goOn(now)) {
        all.remove();
        over.add(client);
      }
    }
    over.forEach(Authentication::takeUp);
  }

  /** Counts and logs that a client is closed for a limit; before it is. */
  void tell(Session session, CloseReason reason) {
    tell(session, reason, reason.words());
  }

  /** The same of a client that sent what is no request. */
  void tellUnreadable(Session session, String words) {
    tell(session, CloseReason.PROTOCOL, CloseReason.PROTOCOL.words() + ": " + words);
  }

  private void tell(Session session, CloseReason reason, String words) {
    loop.counters().closed(reason);
    Notice notice = notices.get(reason);
    if (notice != null) {
      notice.tell(times ->
          log.warn(
              "client {} ({}) is closed: {}; it has {} bytes unread and keeps {} in buffers{}",
              session.id(),
              ClientLine.address(session),
              words,
              session.allowance().unread(),
              session.allowance().kept(),
              more(times)));
    }
  }

  private static String more(long times) {
    return times == 1 ? "" : " (" + (times - 1) + " more since the last such line)";
  }

  /** Logs that a client gave wrong credentials. */
  void tellWrongPassword(Session session) {
    wrongPassword.tell(times ->
        log.warn(
            "client {} ({}) failed to authenticate{}",
            session.id(),
            ClientLine.address(session),
            more(times)));
  }

  /** Logs that a client is not read because so many of its requests are unanswered. */
  void tellPaused(Session session) {
    paused.tell(times ->
        log.info(
            "client {} ({}) is not read while {} of its requests are unanswered{}",
            session.id(),
            ClientLine.address(session),
            loop.settings().clientLimits().inFlight(),
            more(times)));
  }

  /** Logs that the replies that a request needs together are too large for that. */
  void tellTooLarge(Session session) {
    tooLarge.tell(times ->
        log.warn(
            "a request of client {} ({}) is answered with an error: more than {} bytes of replies"
                + " would have to be put together{}",
            session.id(),
            ClientLine.address(session),
            loop.mostHeld(),
            more(times)));
  }

  /** Logs that a request is refused because too many are unanswered. */
  void tellFull() {
    full.tell(times ->
        log.warn(
            "{} requests are unanswered: {} refused since the last such line",
            loop.settings().clientLimits().totalInFlight(),
            times));
  }
}
