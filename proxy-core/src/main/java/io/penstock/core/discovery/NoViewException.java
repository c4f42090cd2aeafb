package io.penstock.core.discovery;

import io.penstock.core.control.Outage;
import io.penstock.core.topology.RefreshRound;
import io.penstock.core.upstream.Endpoint;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** No queried node gave a usable view. The message has the reason for each node. */
public final class NoViewException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int MAX_NODES_NAMED = 5;

  private NoViewException(String message, @Nullable Throwable cause) {
    super(message, cause, false, false);
  }

  public static NoViewException of(RefreshRound.Result<ClusterView> round) {
    StringBuilder text = new StringBuilder("no usable answer from ");
    int queried = round.views().size() + round.failures().size();
    text.append(queried).append(queried == 1 ? " node" : " nodes");
    Throwable first = null;
    int named = 0;
    for (ClusterView view : round.views()) {
      if (named++ < MAX_NODES_NAMED) {
        text.append("; ").append(view.source()).append(": ").append(reason(view));
      }
    }
    for (Map.Entry<Endpoint, Throwable> failure : round.failures().entrySet()) {
      first = first == null ? failure.getValue() : first;
      if (named++ < MAX_NODES_NAMED) {
        text.append("; ")
            .append(failure.getKey())
            .append(": ")
            .append(Outage.reason(failure.getValue()));
      }
    }
    return new NoViewException(
        named > MAX_NODES_NAMED ? text.append("; …").toString() : text.toString(), first);
  }

  private static String reason(ClusterView view) {
    return view.coveredSlots() == 0 ? "knows no owner of any slot" : "belongs to another cluster";
  }
}
