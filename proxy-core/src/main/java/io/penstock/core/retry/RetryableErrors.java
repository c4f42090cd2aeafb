package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.Exchange;
import io.penstock.core.client.Nodes;
import io.penstock.core.cluster.Redirect;
import io.penstock.core.reply.ReplyStrings;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.ErrorPolicy.Scope;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.RetryablePrefix;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes retryable errors, which mean that the command did not run, from all other replies,
 * and applies what they say about the topology. All code that sends a command to a node parses its
 * errors here. Confined to a loop.
 */
public final class RetryableErrors {

  private static final List<String> SERVER_ERRORS =
      List.of(
          "-TRYAGAIN Multiple keys request during rehashing of slot",
          "-CLUSTERDOWN The cluster is down",
          "-CLUSTERDOWN Hash slot not served",
          "-CLUSTERDOWN The cluster is down and only accepts read commands",
          "-LOADING Redis is loading the dataset in memory",
          "-LOADING Valkey is loading the dataset in memory",
          "-READONLY You can't write against a read only replica.",
          "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.");

  private static final String UNBLOCKED_BY_DEMOTION = "-UNBLOCKED force unblock";
  private static final List<String> REJECTED_BY_REPLICA =
      List.of("-ERR WAIT cannot be used with", "-ERR WAITAOF cannot be used with");

  private static final RetryablePrefix[] PREFIXES = RetryablePrefix.values();

  private final ErrorPolicy errorPolicy;
  private final Nodes nodes;

  /**
   * @param errorPolicy of the upstream
   */
  public RetryableErrors(ErrorPolicy errorPolicy, Nodes nodes) {
    this.errorPolicy = errorPolicy;
    this.nodes = nodes;
  }

  /**
   * Returns the retryable error in a reply; null for any other reply. Borrows {@code buffer}.
   *
   * @param exchange that the reply belongs to
   */
  public @Nullable RetryableError parse(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) != '-') {
      return null;
    }
    RetryablePrefix prefix = prefixOf(buffer, from, to);
    if (prefix == null) {
      return scope == Scope.MASTER && isFromReplica(buffer, from, to)
          ? new RetryableError(null, ErrorAction.FIND_MASTER, 0, null)
          : null;
    }
    return switch (errorPolicy.actionFor(prefix, scope)) {
      case DELIVER -> null;
      case REDIRECT -> redirect(exchange, prefix, buffer, from, to);
      case RETRY -> new RetryableError(prefix, ErrorAction.RETRY, 0, null);
      case FIND_MASTER -> new RetryableError(prefix, ErrorAction.FIND_MASTER, 0, null);
    };
  }

  /** Like {@link #parse}, for a blocked call, which a node also ends when it becomes a replica. */
  public @Nullable RetryableError parseForBlockingCall(
      Exchange exchange, ByteBuf buffer, int from, int to) {
    return ReplyStrings.startsWith(buffer, from, to, UNBLOCKED_BY_DEMOTION)
        ? new RetryableError(null, ErrorAction.FIND_MASTER, 0, null)
        : parse(exchange, Scope.KEYS, buffer, from, to);
  }

  /**
   * Like {@link #parse}, for a script. A script may return any error. An error that is not exactly
   * one of Redis's (cluster.c, server.c) or Valkey's says nothing about whether the script ran, and
   * a redirect is followed to known nodes only.
   */
  @Nullable RetryableError parseForScript(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    RetryableError error = parse(exchange, scope, buffer, from, to);
    if (error == null) {
      return null;
    }
    Endpoint target = error.target();
    if (error.action() == ErrorAction.REDIRECT) {
      return target == null || nodes.placement().contains(target) ? error : error.withoutTarget();
    }
    String line = buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    return SERVER_ERRORS.contains(line.stripTrailing()) ? error : null;
  }

  private static @Nullable RetryableError redirect(
      Exchange exchange, RetryablePrefix prefix, ByteBuf buffer, int from, int to) {
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (redirect == null) {
      return null;
    }
    Endpoint answered = exchange.sentTo();
    Endpoint target = answered == null ? null : redirect.target(answered);
    return new RetryableError(prefix, ErrorAction.REDIRECT, redirect.slot(), target);
  }

  private static boolean isFromReplica(ByteBuf buffer, int from, int to) {
    return ReplyStrings.startsWith(buffer, from, to, UNBLOCKED_BY_DEMOTION)
        || REJECTED_BY_REPLICA.stream()
            .anyMatch(text -> ReplyStrings.startsWith(buffer, from, to, text));
  }

  /**
   * Applies what the error says about the topology: patches a moved partition, or requests a
   * refresh.
   */
  public void applyToTopology(RetryableError error) {
    Endpoint target = error.target();
    switch (error.action()) {
      case REDIRECT -> {
        if (target == null) {
          nodes.requestRefresh(RefreshTrigger.UNKNOWN_NODE);
        } else if (error.prefix() == RetryablePrefix.MOVED) {
          nodes.moved(error.partition(), target);
        } else {
          nodes.requestRefresh(RefreshTrigger.ASK);
        }
      }
      case FIND_MASTER -> nodes.requestRefresh(RefreshTrigger.READONLY);
      case RETRY -> {
        if (error.prefix() == RetryablePrefix.CLUSTERDOWN) {
          nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
        }
      }
      case DELIVER -> throw new IllegalArgumentException("not a retryable error: " + error);
    }
  }

  private static @Nullable RetryablePrefix prefixOf(ByteBuf buffer, int from, int to) {
    for (RetryablePrefix prefix : PREFIXES) {
      if (startsWith(prefix, buffer, from, to)) {
        return prefix;
      }
    }
    return null;
  }

  private static boolean startsWith(RetryablePrefix kind, ByteBuf buffer, int from, int to) {
    String prefix = kind.name();
    int end = from + 1 + prefix.length();
    if (to <= end || buffer.getByte(end) != ' ') {
      return false;
    }
    for (int i = 0; i < prefix.length(); i++) {
      if (buffer.getByte(from + 1 + i) != prefix.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
