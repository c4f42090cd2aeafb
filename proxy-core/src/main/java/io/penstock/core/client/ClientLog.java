package io.penstock.core.client;

import io.penstock.core.limit.Allowance;
import io.penstock.core.limit.ClientLimits;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.Label;
import io.penstock.core.observe.LoopCounters;
import io.penstock.core.observe.ThrottledLog;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes log lines about the clients of one loop, each kind at most once in some seconds. Confined
 * to that loop.
 */
public final class ClientLog {

  private static final Logger log = LoggerFactory.getLogger(ClientLog.class);

  private final String prefix;
  private final LoopCounters counters;
  private ClientLimits limits;
  private final Map<CloseReason, ThrottledLog> closings = new EnumMap<>(CloseReason.class);
  private final ThrottledLog authenticationFailed = new ThrottledLog();
  private final ThrottledLog totalInFlightReached = new ThrottledLog();
  private final ThrottledLog authenticationDelayed = new ThrottledLog();
  private final ThrottledLog leadsBack = new ThrottledLog();
  private final ThrottledLog paused = new ThrottledLog();
  private final ThrottledLog replyTooLarge = new ThrottledLog();
  private final Map<Integer, ThrottledLog> crossSlot = new HashMap<>(); // by command

  /**
   * @param listener of the clients
   */
  public ClientLog(Label listener, LoopCounters counters, ClientLimits limits) {
    this.prefix = listener.prefix();
    this.counters = counters;
    this.limits = limits;
    for (CloseReason reason : CloseReason.values()) {
      closings.put(reason, new ThrottledLog());
    }
  }

  /** Replaces the limits that lines name. */
  public void limits(ClientLimits next) {
    limits = next;
  }

  /** Counts and logs that a client is closed for a limit. Called before it is closed. */
  public void closing(Client client, Allowance account, CloseReason reason) {
    closing(client, account, reason, reason.description());
  }

  /** Counts and logs that a client is closed for a protocol error. Called before it is closed. */
  public void protocolError(Client client, Allowance account, String error) {
    closing(
        client, account, CloseReason.PROTOCOL, CloseReason.PROTOCOL.description() + ": " + error);
  }

  private void closing(Client client, Allowance account, CloseReason reason, String why) {
    counters.countClose(reason);
    ThrottledLog notice = closings.get(reason);
    if (notice != null) {
      notice.log(times ->
          log.warn(
              "{}Client {} ({}) is closed: {}; {} bytes of output are unread, {} bytes of memory"
                  + " are used{}",
              prefix,
              client.id(),
              client.peer(),
              why,
              account.unreadBytes(),
              account.keptBytes(),
              more(times)));
    }
  }

  private static String more(long times) {
    return times == 1 ? "" : " (" + (times - 1) + " more since the last such line)";
  }

  /** Logs wrong credentials of a client. */
  public void authenticationFailed(Client client) {
    authenticationFailed.log(times ->
        log.warn(
            "{}Client {} ({}) failed to authenticate{}",
            prefix,
            client.id(),
            client.peer(),
            more(times)));
  }

  /** Logs that a client's address has tried too many wrong passwords. */
  public void authenticationDelayed(Client client) {
    authenticationDelayed.log(times ->
        log.warn(
            "{}Client {} ({}) waits to authenticate: its address has tried many wrong passwords{}",
            prefix,
            client.id(),
            client.peer(),
            more(times)));
  }

  /** Logs that a client is a Penstock that requests are passed on to, so that it is rejected. */
  public void leadsBack(Client client) {
    leadsBack.log(times ->
        log.warn(
            "{}Client {} ({}) is rejected: it is this Penstock, or one that its servers lead to, and"
                + " requests would never reach a server. Correct the URL of the servers in one of"
                + " them{}",
            prefix,
            client.id(),
            client.peer(),
            more(times)));
  }

  /** Logs that a client is not read because it has too many pending requests. */
  public void paused(Client client) {
    paused.log(times ->
        log.info(
            "{}Client {} ({}) is not read while {} of its requests are pending{}",
            prefix,
            client.id(),
            client.peer(),
            limits.inFlight(),
            more(times)));
  }

  /** Logs a request that fails because the replies to merge are too large. */
  public void replyTooLarge(Client client, long most) {
    replyTooLarge.log(times ->
        log.warn(
            "{}A request of client {} ({}) failed: the replies to merge exceed {} bytes{}",
            prefix,
            client.id(),
            client.peer(),
            most,
            more(times)));
  }

  /**
   * Counts and logs a command that was rejected because its keys are in several slots, and that
   * Penstock could carry out. Each command has lines of its own.
   *
   * @param id of the command
   * @param name of the command
   */
  public void crossSlotRejected(Client client, ClientProfile profile, int id, String name) {
    counters.crossSlot().countRejected(id);
    ThrottledLog notice = crossSlot.computeIfAbsent(id, _ -> new ThrottledLog());
    notice.log(times ->
        log.info(
            "{}{} of client {} ({} name={} user={}) was rejected: its keys are in several slots."
                + " With cross-slot: emulate it would be carried out{}",
            prefix,
            name,
            client.id(),
            client.peer(),
            profile.name(),
            profile.user().name(),
            more(times)));
  }

  /** Logs that a request was rejected because too many requests of all clients are pending. */
  public void totalInFlightReached() {
    totalInFlightReached.log(times ->
        log.warn(
            "{}{} requests of all clients are pending: {} rejected since the last such line",
            prefix,
            limits.totalInFlight(),
            times));
  }
}
