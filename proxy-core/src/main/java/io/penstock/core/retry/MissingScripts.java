package io.penstock.core.retry;

import io.netty.buffer.ByteBuf;
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
 * the connection that the refusal came by: when it is answered, so is everything that was on its
 * way behind the refused call, and it is known whether a later request has overtaken it.
 */
final class MissingScripts {

  /** In Redis's words or Valkey's only: what a script says of itself is its own affair. */
  private static final List<String> NOT_FOUND =
      List.of(
          "-NOSCRIPT No matching script. Please use EVAL.\r\n",
          "-NOSCRIPT No matching script.\r\n");

  private static final int LONGEST = NOT_FOUND.getFirst().length();

  /** The node that lacks a script, and its digest. */
  record Missing(Endpoint node, String digest, byte[] body) {}

  /**
   * @param mark what was on its way when it was sent lies before it
   */
  private record Place(Endpoint node, String digest, long mark) {}

  private final ClientContext context;
  private final Scripts known;
  private final Fences fences;
  private final Map<Place, Loading> loading = new HashMap<>(0);

  MissingScripts(ClientContext context, Fences fences, Scripts known) {
    this.context = context;
    this.known = known;
    this.fences = fences;
  }

  /** What is to be loaded where, if the reply says that a script is missing that is known here. */
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
    byte[] body = known.body(digest);
    return body == null ? null : new Missing(node, digest, body);
  }

  /** Loads it, unless that is under way, and runs {@code then} afterwards, come of it what may. */
  void load(Missing missing, ClientExchange request, Runnable then) {
    Place place = new Place(missing.node(), missing.digest(), fences.mark());
    Loading pending = loading.get(place);
    if (pending != null) {
      pending.thenRun(then);
      return;
    }
    Loading fresh = new Loading(place, request, missing.body());
    fresh.thenRun(then);
    loading.put(place, fresh);
    fresh.send();
  }

  /** On its way to a node. */
  private final class Loading extends NodeFence {

    private final Place place;

    Loading(Place place, ClientExchange request, byte[] body) {
      super(context, place.node(), request, ScriptLoad.request(body));
      this.place = place;
    }

    @Override
    void unregister() {
      loading.remove(place);
    }
  }
}
