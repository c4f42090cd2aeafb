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
 * Tells the error replies that mean "it did not run" from all others, and passes on what they say
 * of the topology. All code that sends a command to a node reads its errors here. Confined to a
 * loop.
 */
public final class RetryableErrors {

  private static final List<String> SERVERS_OWN =
      List.of(
          "-TRYAGAIN Multiple keys request during rehashing of slot",
          "-CLUSTERDOWN The cluster is down",
          "-CLUSTERDOWN Hash slot not served",
          "-CLUSTERDOWN The cluster is down and only accepts read commands",
          "-LOADING Redis is loading the dataset in memory",
          "-LOADING Valkey is loading the dataset in memory",
          "-READONLY You can't write against a read only replica.",
          "-MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.");

  private static final String BLOCKED_NO_MORE = "-UNBLOCKED force unblock";
  private static final List<String> NOT_OF_A_REPLICA =
      List.of("-ERR WAIT cannot be used with", "-ERR WAITAOF cannot be used with");

  private static final RetryablePrefix[] WORDS = RetryablePrefix.values();

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
   * What a reply says that means "it did not run"; null for any other reply. Borrows {@code
   * buffer}.
   *
   * @param exchange that it answers
   */
  public @Nullable RetryableError parse(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    if (buffer.getByte(from) != '-') {
      return null;
    }
    RetryablePrefix word = wordOf(buffer, from, to);
    if (word == null) {
      return scope == Scope.MASTER && isOfNoMaster(buffer, from, to)
          ? new RetryableError(null, ErrorAction.FIND_MASTER, 0, null)
          : null;
    }
    return switch (errorPolicy.actionFor(word, scope)) {
      case DELIVER -> null;
      case REDIRECT -> redirect(exchange, word, buffer, from, to);
      case RETRY -> new RetryableError(word, ErrorAction.RETRY, 0, null);
      case FIND_MASTER -> new RetryableError(word, ErrorAction.FIND_MASTER, 0, null);
    };
  }

  /** The same of a call that blocked, which a node that becomes a replica ends as well. */
  public @Nullable RetryableError parseForBlockingCall(
      Exchange exchange, ByteBuf buffer, int from, int to) {
    return ReplyStrings.startsWith(buffer, from, to, BLOCKED_NO_MORE)
        ? new RetryableError(null, ErrorAction.FIND_MASTER, 0, null)
        : parse(exchange, Scope.KEYS, buffer, from, to);
  }

  /**
   * The same of a script. A script may return any error it likes: one that is not in the words of
   * Redis (cluster.c, server.c) or Valkey says nothing about whether it ran, and a redirect is
   * followed to known nodes only.
   */
  @Nullable RetryableError parseForScript(
      Exchange exchange, Scope scope, ByteBuf buffer, int from, int to) {
    RetryableError said = parse(exchange, scope, buffer, from, to);
    if (said == null) {
      return null;
    }
    Endpoint target = said.target();
    if (said.action() == ErrorAction.REDIRECT) {
      return target == null || nodes.placement().contains(target) ? said : said.withoutTarget();
    }
    String line = buffer.toString(from, to - from, StandardCharsets.ISO_8859_1);
    return SERVERS_OWN.contains(line.stripTrailing()) ? said : null;
  }

  private static @Nullable RetryableError redirect(
      Exchange exchange, RetryablePrefix word, ByteBuf buffer, int from, int to) {
    Redirect redirect = Redirect.parse(buffer, from, to - from);
    if (redirect == null) {
      return null;
    }
    Endpoint answered = exchange.sentTo();
    Endpoint target = answered == null ? null : redirect.target(answered);
    return new RetryableError(word, ErrorAction.REDIRECT, redirect.slot(), target);
  }

  private static boolean isOfNoMaster(ByteBuf buffer, int from, int to) {
    return ReplyStrings.startsWith(buffer, from, to, BLOCKED_NO_MORE)
        || NOT_OF_A_REPLICA.stream()
            .anyMatch(text -> ReplyStrings.startsWith(buffer, from, to, text));
  }

  /** Tells the upstream what a refusal says of it. */
  public void applyToTopology(RetryableError refusal) {
    Endpoint target = refusal.target();
    switch (refusal.action()) {
      case REDIRECT -> {
        if (target == null) {
          nodes.requestRefresh(RefreshTrigger.UNKNOWN_NODE);
        } else if (refusal.prefix() == RetryablePrefix.MOVED) {
          nodes.moved(refusal.partition(), target);
        } else {
          nodes.requestRefresh(RefreshTrigger.ASK);
        }
      }
      case FIND_MASTER -> nodes.requestRefresh(RefreshTrigger.READONLY);
      case RETRY -> {
        if (refusal.prefix() == RetryablePrefix.CLUSTERDOWN) {
          nodes.requestRefresh(RefreshTrigger.UNCOVERED_SLOT);
        }
      }
      case DELIVER -> throw new IllegalArgumentException("no refusal: " + refusal);
    }
  }

  private static @Nullable RetryablePrefix wordOf(ByteBuf buffer, int from, int to) {
    for (RetryablePrefix word : WORDS) {
      if (says(word, buffer, from, to)) {
        return word;
      }
    }
    return null;
  }

  private static boolean says(RetryablePrefix kind, ByteBuf buffer, int from, int to) {
    String word = kind.name();
    int end = from + 1 + word.length();
    if (to <= end || buffer.getByte(end) != ' ') {
      return false;
    }
    for (int i = 0; i < word.length(); i++) {
      if (buffer.getByte(from + 1 + i) != word.charAt(i)) {
        return false;
      }
    }
    return true;
  }
}
