package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Nodes that answer as told; all others refuse the connection. */
final class ScriptedSource implements ViewSource {

  final List<Endpoint> asked = new ArrayList<>();
  private @Nullable Error failing;
  private final Map<Endpoint, String> answers = new HashMap<>();
  private final Map<Endpoint, CompletableFuture<ClusterView>> held = new HashMap<>();

  ScriptedSource answer(Endpoint node, String text) {
    answers.put(node, text);
    held.remove(node);
    return this;
  }

  ScriptedSource refuse(Endpoint... nodes) {
    for (Endpoint node : nodes) {
      answers.remove(node);
      held.remove(node);
    }
    return this;
  }

  /** The node takes the question and does not answer, until {@link #release}. */
  ScriptedSource hold(Endpoint node) {
    held.put(node, new CompletableFuture<>());
    return this;
  }

  void release(Endpoint node, String text) {
    CompletableFuture<ClusterView> waiting = held.remove(node);
    if (waiting != null) {
      waiting.complete(Views.view(node, text));
    }
  }

  /** Nodes cannot even be asked, as while no thread can be made; null ends it. */
  void fail(@Nullable Error error) {
    failing = error;
  }

  @Override
  public CompletionStage<ClusterView> query(Endpoint node) {
    asked.add(node);
    if (failing != null) {
      throw failing;
    }
    CompletableFuture<ClusterView> waiting = held.get(node);
    if (waiting != null) {
      return waiting;
    }
    String text = answers.get(node);
    return text == null
        ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
        : CompletableFuture.completedFuture(Views.view(node, text));
  }
}
