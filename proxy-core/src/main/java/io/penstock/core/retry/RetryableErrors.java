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
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Distinguishes retryable errors, which mean that the command did not run, from all other replies,
 * and applies what they say about the topology. All code that sends a command to a node parses its
 * errors here. Confined to a loop.
 */
public final class RetryableErrors {

  private static final String READONLY = "-READONLY You can't write against a read only replica.";
  private static final String MASTERDOWN =
      "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.";

  private static final List<String> SERVER_ERRORS =
      List.of(
          "-TRYAGAIN Multiple keys request during rehashing of slot",
          "-CLUSTERDOWN The cluster is down",
          "-CLUSTERDOWN Hash slot not served",
          "-CLUSTERDOWN The cluster is down and only accepts read commands",
          "-LOADING Redis is loading the dataset in memory",
          "-LOADING Valkey is loading the dataset in memory",
          READONLY,
          "-READONLY Can not run script with write flag on readonly replica",
          MASTERDOWN,
          "-MASTERDOWN Link with MASTER is down, replica-serve-stale-data is set to 'no' and"
              + " 'allow-stale' flag is not set on the script.",
          "-NOSCRIPT No matching script. Please use EVAL.",
          "-NOSCRIPT No matching script.");

  /**
   * How servers end the error of a command that a script called. From a replica it means that the
   * script has written nothing: the replica rejects each write, and cannot become a master while a
   * script runs.
   */
  private static final Pattern OF_SCRIPT =
      Pattern.compile(" script: [^ ,]+, on @user_(script|function):\\d+\\.");

  /** The beginning of such an error before Redis 7; {@link #READONLY}, for example, ends it. */
  private static final String OF_OLD_SCRIPT = "-ERR Error running script (call to f_";

  private static final String UNBLOCKED_BY_DEMOTION = "-UNBLOCKED force unblock";
  private static final List<String> REJECTED_BY_REPLICA =
      List.of("-ERR WAIT cannot be used with", "-ERR WAITAOF cannot be used with");

  private static final RetryablePrefix[] PREFIXES = RetryablePrefix.values();

  private final ErrorPolicy errorPolicy;
  private final Nodes nodes;
  private final StrayRedirects strayRedirects;

  /**
   * @param errorPolicy of the upstream
   */
  public RetryableErrors(ErrorPolicy errorPolicy, Nodes nodes) {
    this.errorPolicy = errorPolicy;
    this.nodes = nodes;
    this.strayRedirects = new StrayRedirects(nodes.logPrefix());
  }

  /**
   * Returns the retryable error in a reply; null for any other reply. Borrows {@code buffer}.
   *
   * @param exchange that the reply belongs to
   */
  public @Nullable RetryableError parse(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    RetryableError error = parseReply(exchange, scope, buffer, from, to);
    if (error == null && buffer.getByte(from) == '-' && scope != Scope.MASTER) {
      RetryablePrefix prefix = prefixOf(buffer, from, to);
      Endpoint node = exchange.sentTo();
      strayRedirects.onError(node, prefix);
      if (prefix == RetryablePrefix.READONLY
          && node != null
          && !exchange.connections().readsReplica()) {
        nodes.demoted(node);
      }
    }
    return error;
  }

  private @Nullable RetryableError parseReply(
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
    if (exchange.connections().readsReplica() && isNoReplicaError(prefix)) {
      return new RetryableError(prefix, ErrorAction.RETRY, 0, null);
    }
    ErrorPolicy policy = errorPolicy.of(exchange.sentTo());
    return switch (policy.actionFor(prefix, scope)) {
      case DELIVER -> null;
      case REDIRECT -> redirect(exchange, policy, Redirect.parse(buffer, from, to - from));
      case RETRY -> new RetryableError(prefix, ErrorAction.RETRY, 0, null);
      case FIND_MASTER -> new RetryableError(prefix, ErrorAction.FIND_MASTER, 0, null);
    };
  }

  /**
   * Returns whether a replica that answers a read with this error cannot serve it now. Servers do
   * not replicate scripts.
   */
  private static boolean isNoReplicaError(RetryablePrefix prefix) {
    return switch (prefix) {
      case LOADING, MASTERDOWN, CLUSTERDOWN, NOSCRIPT -> true;
      case MOVED, ASK, TRYAGAIN, READONLY -> false;
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
   * a redirect is followed to known nodes only. A script that a replica stopped at its first write
   * counts as one that did not run, although it may have read and published.
   */
  @Nullable RetryableError parseForScript(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    RetryableError error = parseReply(exchange, scope, buffer, from, to);
    if (error == null) {
      return parseOldScriptError(exchange, scope, buffer, from, to);
    }
    Endpoint target = error.target();
    if (error.action() == ErrorAction.REDIRECT) {
      return target == null || nodes.placement().contains(target) ? error : error.withoutTarget();
    }
    String line = line(buffer, from, to);
    return SERVER_ERRORS.contains(line) || isOfCalledCommand(line) ? error : null;
  }

  /** Returns whether a replica rejected a command that a script called. */
  private static boolean isOfCalledCommand(String line) {
    for (String beginning : List.of(READONLY, MASTERDOWN)) {
      if (line.startsWith(beginning)) {
        return OF_SCRIPT.matcher(line).region(beginning.length(), line.length()).matches();
      }
    }
    return false;
  }

  private @Nullable RetryableError parseOldScriptError(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    if (!ReplyStrings.startsWith(buffer, from, to, OF_OLD_SCRIPT)) {
      return null;
    }
    String line = line(buffer, from, to);
    RetryablePrefix prefix =
        line.endsWith(": " + READONLY)
            ? RetryablePrefix.READONLY
            : line.endsWith(": " + MASTERDOWN) ? RetryablePrefix.MASTERDOWN : null;
    ErrorPolicy policy = errorPolicy.of(exchange.sentTo());
    return prefix != null && policy.actionFor(prefix, scope) == ErrorAction.FIND_MASTER
        ? new RetryableError(prefix, ErrorAction.FIND_MASTER, 0, null)
        : null;
  }

  private static String line(ByteBuf buffer, int from, int to) {
    return buffer.toString(from, to - from, StandardCharsets.ISO_8859_1).stripTrailing();
  }

  private static @Nullable RetryableError redirect(
      Exchange exchange, ErrorPolicy policy, @Nullable Redirect redirect) {
    if (redirect == null) {
      return null;
    }
    Endpoint answered = exchange.sentTo();
    Endpoint target = answered == null ? null : redirect.target(answered);
    RetryablePrefix prefix =
        redirect.kind() == Redirect.Kind.MOVED ? RetryablePrefix.MOVED : RetryablePrefix.ASK;
    return new RetryableError(
        prefix, ErrorAction.REDIRECT, policy.partitionOf(redirect.slot()), target);
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
