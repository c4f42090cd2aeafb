package io.penstock.core.sentinel;

import io.penstock.core.control.Outage;
import io.penstock.core.topology.RefreshRound;
import io.penstock.core.upstream.Endpoint;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A refresh found no master to believe. The message has the reason for each sentinel and node. */
final class NoMasterException extends RuntimeException {

  private static final long serialVersionUID = 1L;
  private static final int MAX_REASONS = 5;

  private NoMasterException(String message) {
    super(message, null, false, false);
  }

  /**
   * @param choice between the views of the round
   * @param rejected why nodes that sentinels name are not believed to be the master
   */
  static NoMasterException of(
      RefreshRound.Result<SentinelView> round,
      MasterChoice choice,
      Map<Endpoint, String> rejected) {
    List<String> reasons = new ArrayList<>();
    for (Claim claim : choice.claims()) {
      String reason =
          rejected.getOrDefault(claim.master(), "older than what is known, or unconfirmed");
      reasons.add(
          "%d of %d sentinels name %s (epoch %d): %s"
              .formatted(
                  claim.views().size(),
                  choice.voters(claim),
                  claim.master(),
                  claim.epoch(),
                  reason));
    }
    round
        .failures()
        .forEach((sentinel, failure) -> reasons.add(sentinel + ": " + Outage.reason(failure)));
    int queried = round.views().size() + round.failures().size();
    String text =
        "no usable answer from "
            + queried
            + (queried == 1 ? " sentinel; " : " sentinels; ")
            + String.join("; ", reasons.subList(0, Math.min(reasons.size(), MAX_REASONS)));
    return new NoMasterException(reasons.size() > MAX_REASONS ? text + "; …" : text);
  }
}
