package io.penstock.core.client;

import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.ThrottledLog;
import java.util.EnumMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the log tells of the clients of one loop, each kind of line at most once in a while.
 * Confined to that loop.
 */
public final class ClientLog {

  private static final Logger log = LoggerFactory.getLogger(ClientLog.class);

  private final LoopCounters counters;
  private final ClientLimits limits;
  private final Map<CloseReason, ThrottledLog> closings = new EnumMap<>(CloseReason.class);
  private final ThrottledLog authenticationFailed = new ThrottledLog();
  private final ThrottledLog totalInFlightReached = new ThrottledLog();
  private final ThrottledLog paused = new ThrottledLog();
  private final ThrottledLog replyTooLarge = new ThrottledLog();

  public ClientLog(LoopCounters counters, ClientLimits limits) {
    this.counters = counters;
    this.limits = limits;
    for (CloseReason reason : CloseReason.values()) {
      closings.put(reason, new ThrottledLog());
    }
  }

  /** Counts and tells that a client is closed for a limit; before it is. */
  public void closing(Client client, Allowance account, CloseReason reason) {
    closing(client, account, reason, reason.description());
  }

  /** The same of a client that sent what is no request. */
  public void protocolError(Client client, Allowance account, String words) {
    closing(
        client, account, CloseReason.PROTOCOL, CloseReason.PROTOCOL.description() + ": " + words);
  }

  private void closing(Client client, Allowance account, CloseReason reason, String words) {
    counters.countClose(reason);
    ThrottledLog notice = closings.get(reason);
    if (notice != null) {
      notice.log(times ->
          log.warn(
              "client {} ({}) is closed: {}; it has {} bytes unread and keeps {} in buffers{}",
              client.id(),
              client.address(),
              words,
              account.unreadBytes(),
              account.keptBytes(),
              more(times)));
    }
  }

  private static String more(long times) {
    return times == 1 ? "" : " (" + (times - 1) + " more since the last such line)";
  }

  /** A client gave wrong credentials. */
  public void authenticationFailed(Client client) {
    authenticationFailed.log(times ->
        log.warn(
            "client {} ({}) failed to authenticate{}", client.id(), client.address(), more(times)));
  }

  /** A client is not read because so many of its requests are unanswered. */
  public void paused(Client client) {
    paused.log(times ->
        log.info(
            "client {} ({}) is not read while {} of its requests are unanswered{}",
            client.id(),
            client.address(),
            limits.inFlight(),
            more(times)));
  }

  /** The replies that a request needs together are too large for that. */
  public void replyTooLarge(Client client, long most) {
    replyTooLarge.log(times ->
        log.warn(
            "a request of client {} ({}) is answered with an error: more than {} bytes of replies"
                + " would have to be put together{}",
            client.id(),
            client.address(),
            most,
            more(times)));
  }

  /** A request is refused because too many are unanswered. */
  public void totalInFlightReached() {
    totalInFlightReached.log(times ->
        log.warn(
            "{} requests are unanswered: {} refused since the last such line",
            limits.totalInFlight(),
            times));
  }
}
