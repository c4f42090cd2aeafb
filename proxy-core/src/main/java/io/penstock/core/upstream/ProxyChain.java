package io.penstock.core.upstream;

import java.security.SecureRandom;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The Penstocks that requests for an upstream pass through: this one, and those that its nodes are
 * or lead to. Each upstream of each process has an id of its own, which the names of its
 * connections have at their end. A Penstock answers {@code CLIENT SETNAME} with such a name by the
 * ids of its own chain, or rejects it if the id is one of these: requests would go round in a
 * circle. Servers answer {@code OK}.
 *
 * <p>What a node has answered is forgotten after {@link #VALID}; until then it is asked again.
 *
 * <p>Safe from any thread. Used when connections are made, not for requests.
 */
public final class ProxyChain {

  /** The first word of the error that a Penstock rejects a name with. */
  private static final String REFUSED = "LOOP ";

  /** What a Penstock rejects a name with. */
  public static final String REFUSAL =
      REFUSED
          + "this Penstock passes requests on to the one that connects: they would never reach a"
          + " server. Correct the URL of the servers in one of the two";

  /** How long an answer of a node is valid. */
  static final Duration VALID = Duration.ofSeconds(10);

  private static final String NAME = "penstock";
  private static final char BEFORE_ID = ':';
  private static final int ID_LENGTH = 16;
  private static final String ANSWER = "OK penstock ";

  /** Most ids that are told and believed; a longer chain is cut. */
  private static final int MOST_IDS = 64;

  /** Most nodes whose answers are kept. */
  private static final int MOST_NODES = 1_024;

  private final String id;
  private final Map<Endpoint, Answer> answers = new ConcurrentHashMap<>();

  /** The ids that a node has answered, and the {@link System#nanoTime} until which they count. */
  private record Answer(Set<String> ids, long until) {

    boolean isValid(long now) {
      return until - now > 0;
    }
  }

  private ProxyChain(String id) {
    this.id = id;
  }

  /** Returns a chain with a new id. */
  public static ProxyChain create() {
    return new ProxyChain("%016x".formatted(new SecureRandom().nextLong()));
  }

  /** Returns a chain without an id, so that connections have plain names. For tests. */
  public static ProxyChain withoutId() {
    return new ProxyChain("");
  }

  /** Returns the chain of an upstream that replaces this one: the same id, and nothing is known. */
  public ProxyChain successor() {
    return new ProxyChain(id);
  }

  /**
   * Returns the name of a connection.
   *
   * @param use what the connection is for, such as {@code -topology}; empty for requests
   */
  public String connectionName(String use) {
    return NAME + use + (id.isEmpty() ? "" : BEFORE_ID + id);
  }

  /** Returns the id in the name of a client's connection, or null if it is none of a Penstock. */
  public static @Nullable String idIn(String name) {
    int at = name.length() - ID_LENGTH;
    if (at <= NAME.length() || !name.startsWith(NAME) || name.charAt(at - 1) != BEFORE_ID) {
      return null;
    }
    String id = name.substring(at);
    return isId(id) ? id : null;
  }

  private static boolean isId(String text) {
    return text.length() == ID_LENGTH
        && text.chars().allMatch(c -> (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'));
  }

  /**
   * Returns whether requests reach the Penstock with this id, as far as is known.
   *
   * @param other null for a client that is no Penstock
   */
  public boolean leadsTo(@Nullable String other) {
    if (other == null) {
      return false;
    }
    long now = System.nanoTime();
    return other.equals(id)
        || answers.values().stream()
            .anyMatch(answer -> answer.isValid(now) && answer.ids().contains(other));
  }

  /** Returns the status reply for a Penstock that connects: the ids of the chain. */
  public String answer() {
    Set<String> ids = new LinkedHashSet<>();
    ids.add(id);
    long now = System.nanoTime();
    for (Answer each : answers.values()) {
      if (each.isValid(now)) {
        ids.addAll(each.ids());
      }
    }
    return ANSWER + String.join(" ", ids.stream().limit(MOST_IDS).toList());
  }

  /**
   * Notes what a node has answered to the connection's name.
   *
   * @param status without {@code +}; {@code OK} from a server
   */
  public void learn(Endpoint node, String status) {
    if (!status.startsWith(ANSWER)) {
      answers.remove(node);
      return;
    }
    long now = System.nanoTime();
    answers.values().removeIf(answer -> !answer.isValid(now));
    if (answers.size() < MOST_NODES || answers.containsKey(node)) {
      List<String> ids = List.of(status.substring(ANSWER.length()).split(" ", MOST_IDS + 1));
      Set<String> valid = new LinkedHashSet<>();
      ids.stream().filter(ProxyChain::isId).limit(MOST_IDS).forEach(valid::add);
      answers.put(node, new Answer(valid, now + VALID.toNanos()));
    }
  }

  /** Returns whether a node is a Penstock, so that its chain may change. */
  public boolean isPenstock(Endpoint node) {
    return answers.containsKey(node);
  }

  /** Returns whether an error is the one with which a Penstock rejects a connection's name. */
  public static boolean isRefusal(String error) {
    return error.startsWith(REFUSED);
  }
}
