package io.penstock.core.sentinel;

import io.penstock.core.upstream.Endpoint;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Sentinels and nodes with scripted answers. All others refuse the connection. */
final class ScriptedSentinels implements SentinelSource {

  static final Endpoint S1 = new Endpoint("10.0.1.1", 26379);
  static final Endpoint S2 = new Endpoint("10.0.1.2", 26379);
  static final Endpoint S3 = new Endpoint("10.0.1.3", 26379);
  static final Endpoint A = new Endpoint("10.0.0.1", 6379);
  static final Endpoint B = new Endpoint("10.0.0.2", 6379);
  static final Endpoint C = new Endpoint("10.0.0.3", 6379);
  static final Endpoint STRANGER = new Endpoint("10.9.9.9", 6379);

  private static final List<Endpoint> TRIO = List.of(S1, S2, S3);
  private static final Set<Endpoint> NODES = Set.of(A, B, C);

  final List<Endpoint> queried = new ArrayList<>();
  final List<Endpoint> asked = new ArrayList<>(); // for their role
  final List<Endpoint> subscribed = new ArrayList<>();
  private final Map<Endpoint, Runnable> listeners = new HashMap<>();
  private final Set<Endpoint> silent = new HashSet<>();
  private final Map<Endpoint, SentinelView> views = new HashMap<>();
  private final Map<Endpoint, Throwable> failures = new HashMap<>();
  private final Map<Endpoint, Role> roles = new HashMap<>();
  private boolean withoutIds;

  /** All three sentinels, which know one another, name the master; it is one. */
  ScriptedSentinels agree(Endpoint master, long epoch) {
    TRIO.forEach(sentinel -> name(sentinel, master, epoch));
    NODES.forEach(node -> roles.put(node, node.equals(master) ? Role.MASTER : Role.REPLICA));
    return this;
  }

  /** From now on sentinels do not report their own id, as before Redis 6.2. */
  ScriptedSentinels hideIds() {
    withoutIds = true;
    return this;
  }

  /** One sentinel names a master; the other nodes are replicas. */
  ScriptedSentinels name(Endpoint sentinel, Endpoint master, long epoch, Endpoint... down) {
    List<SentinelView.Member> members = new ArrayList<>();
    members.add(new SentinelView.Member("run" + master.host(), master, Set.of("master")));
    for (Endpoint node : List.of(A, B, C)) {
      if (!node.equals(master)) {
        Set<String> flags =
            List.of(down).contains(node) ? Set.of("slave", "s_down") : Set.of("slave");
        members.add(new SentinelView.Member("run" + node.host(), node, flags));
      }
    }
    return answer(sentinel, master, epoch, members, others(sentinel));
  }

  /** One sentinel, which knows no other, names a master. */
  ScriptedSentinels nameAlone(Endpoint sentinel, Endpoint master, long epoch) {
    return answer(
        sentinel,
        master,
        epoch,
        List.of(new SentinelView.Member("", master, Set.of("master"))),
        Map.of());
  }

  private ScriptedSentinels answer(
      Endpoint sentinel,
      Endpoint master,
      long epoch,
      List<SentinelView.Member> members,
      Map<String, Endpoint> others) {
    String id = withoutIds ? sentinel.toString() : id(sentinel);
    views.put(sentinel, new SentinelView(sentinel, id, master, epoch, members, others));
    return this;
  }

  private static Map<String, Endpoint> others(Endpoint sentinel) {
    Map<String, Endpoint> others = new LinkedHashMap<>();
    TRIO.stream()
        .filter(each -> !each.equals(sentinel))
        .forEach(each -> others.put(id(each), each));
    return others;
  }

  private static String id(Endpoint sentinel) {
    return "id" + sentinel.host();
  }

  ScriptedSentinels role(Endpoint node, Role role) {
    roles.put(node, role);
    return this;
  }

  ScriptedSentinels unreachable(Endpoint node) {
    roles.remove(node);
    return this;
  }

  ScriptedSentinels refuse(Endpoint... sentinels) {
    List.of(sentinels).forEach(views::remove);
    return this;
  }

  ScriptedSentinels fail(Endpoint sentinel, Throwable failure) {
    views.remove(sentinel);
    failures.put(sentinel, failure);
    return this;
  }

  /** The server accepts queries and pings, and answers none. */
  ScriptedSentinels freeze(Endpoint server) {
    silent.add(server);
    return this;
  }

  ScriptedSentinels thaw(Endpoint server) {
    silent.remove(server);
    return this;
  }

  /** The sentinel sends a message about the master. */
  void send(Endpoint sentinel) {
    Runnable listener = listeners.get(sentinel);
    if (listener == null) {
      throw new IllegalStateException("no subscription to " + sentinel);
    }
    listener.run();
  }

  boolean hasSubscriber(Endpoint sentinel) {
    return listeners.containsKey(sentinel);
  }

  @Override
  public CompletionStage<SentinelView> query(Endpoint sentinel) {
    queried.add(sentinel);
    SentinelView view = views.get(sentinel);
    if (silent.contains(sentinel)) {
      return new CompletableFuture<>();
    }
    return view == null
        ? CompletableFuture.failedFuture(
            failures.getOrDefault(sentinel, new ConnectException("Connection refused")))
        : CompletableFuture.completedFuture(view);
  }

  @Override
  public CompletionStage<Role> role(Endpoint node) {
    asked.add(node);
    Role role = roles.get(node);
    if (silent.contains(node)) {
      return new CompletableFuture<>();
    }
    return role == null
        ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
        : CompletableFuture.completedFuture(role);
  }

  @Override
  public CompletionStage<Subscription> subscribe(Endpoint sentinel, Runnable onMessage) {
    subscribed.add(sentinel);
    if (!views.containsKey(sentinel) || silent.contains(sentinel)) {
      return CompletableFuture.failedFuture(new ConnectException("Connection refused"));
    }
    listeners.put(sentinel, onMessage);
    return CompletableFuture.completedFuture(
        new Subscription() {
          @Override
          public CompletionStage<?> ping() {
            return silent.contains(sentinel)
                ? CompletableFuture.failedFuture(new IllegalStateException("no answer"))
                : CompletableFuture.completedFuture("PONG");
          }

          @Override
          public void close() {
            listeners.remove(sentinel, onMessage);
          }
        });
  }
}
