package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.client.ClientContext;
import io.penstock.core.script.ScriptLoad;
import io.penstock.core.script.Scripts;
import io.penstock.core.upstream.Endpoint;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Loads the script that an {@code EVALSHA} did not find at its node. {@code SCRIPT LOAD} goes over
 * the connection that the error came from: when it is answered, so is everything that was in flight
 * behind the {@code EVALSHA}, and it is known whether a later request has overtaken it.
 */
final class MissingScripts {

  /** Exactly the replies of Redis and Valkey: a script may return a similar error of its own. */
  private static final List<String> NOT_FOUND =
      List.of(
          "-NOSCRIPT No matching script. Please use EVAL.\r\n",
          "-NOSCRIPT No matching script.\r\n");

  private static final int LONGEST = NOT_FOUND.getFirst().length();

  /** A script that a node lacks. */
  record Missing(Endpoint node, String digest, byte[] body) {}

  /**
   * @param connections that the load goes over
   * @param mark of {@link Fences}: what was in flight when the load was sent is before it
   */
  private record Target(Endpoint node, ConnectionKey connections, String digest, long mark) {}

  private final ClientContext context;
  private final Scripts scripts;
  private final Fences fences;
  private final Map<Target, Loading> loading = new HashMap<>(0);

  MissingScripts(ClientContext context, Fences fences, Scripts scripts) {
    this.context = context;
    this.scripts = scripts;
    this.fences = fences;
  }

  /**
   * Returns the script to load if the reply says that it is missing and Penstock knows it; else
   * null.
   */
  @Nullable Missing find(ClientExchange request, ByteBuf reply, int from, int to) {
    Endpoint node = request.sentTo();
    if (node == null
        || to - from > LONGEST
        || !NOT_FOUND.contains(reply.toString(from, to - from, StandardCharsets.ISO_8859_1))) {
      return null;
    }
    String digest = Scripts.calledDigest(request.command());
    if (digest == null) {
      return null;
    }
    byte[] body = scripts.body(digest);
    return body == null ? null : new Missing(node, digest, body);
  }

  /** Loads the script unless a load is in flight; then runs {@code then}, whatever the outcome. */
  void load(Missing missing, ClientExchange request, Runnable then) {
    Target target =
        new Target(missing.node(), request.connections(), missing.digest(), fences.mark());
    Loading pending = loading.get(target);
    if (pending != null) {
      pending.thenRun(then);
      return;
    }
    Loading fresh = new Loading(target, request, missing.body());
    fresh.thenRun(then);
    loading.put(target, fresh);
    fresh.send();
  }

  /** A {@code SCRIPT LOAD} in flight. */
  private final class Loading extends NodeFence {

    private final Target target;

    Loading(Target target, ClientExchange request, byte[] body) {
      super(context, target.node(), request, ScriptLoad.request(body));
      this.target = target;
    }

    @Override
    void unregister() {
      loading.remove(target);
    }
  }
}
