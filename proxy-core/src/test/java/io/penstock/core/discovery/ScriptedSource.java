package io.penstock.core.discovery;

import io.penstock.core.upstream.Endpoint;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Nodes with scripted answers. All other nodes refuse the connection. */
public final class ScriptedSource implements ViewSource {

  public final List<Endpoint> queried = new ArrayList<>();
  private @Nullable Error failing;
  private final Map<Endpoint, String> answers = new HashMap<>();
  private final Map<Endpoint, CompletableFuture<ClusterView>> unanswered = new HashMap<>();

  public ScriptedSource answer(Endpoint node, String text) {
    answers.put(node, text);
    unanswered.remove(node);
    return this;
  }

  public ScriptedSource refuse(Endpoint... nodes) {
    for (Endpoint node : nodes) {
      answers.remove(node);
      unanswered.remove(node);
    }
    return this;
  }

  /** The node accepts the query and does not answer until {@link #release}. */
  public ScriptedSource freeze(Endpoint node) {
    unanswered.put(node, new CompletableFuture<>());
    return this;
  }

  public void release(Endpoint node, String text) {
    CompletableFuture<ClusterView> waiting = unanswered.remove(node);
    if (waiting != null) {
      waiting.complete(Views.view(node, text));
    }
  }

  /** Each query throws an error, as if no thread could be created; null ends this. */
  public void fail(@Nullable Error error) {
    failing = error;
  }

  @Override
  public CompletionStage<ClusterView> query(Endpoint node) {
    queried.add(node);
    if (failing != null) {
      throw failing;
    }
    CompletableFuture<ClusterView> waiting = unanswered.get(node);
    if (waiting != null) {
      return waiting;
    }
    String text = answers.get(node);
    return text == null
        ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
        : CompletableFuture.completedFuture(Views.view(node, text));
  }
}
