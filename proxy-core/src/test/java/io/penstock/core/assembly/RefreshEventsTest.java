package io.penstock.core.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RefreshEventsTest {

  private static Placement at(String host) {
    return new SinglePlacement(new Endpoint(host, 1));
  }

  @Test
  void aRefreshOfAPartIsReportedWithThePlacementOfTheWhole() {
    List<Placement> reported = new ArrayList<>();
    var events =
        new ProxyEvents() {
          @Override
          public void topologyRefreshed(
              RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
            reported.add(now);
          }
        };

    new RefreshEvents(events, () -> at("whole"))
        .topologyRefreshed(RefreshTrigger.PERIODIC, Duration.ZERO, at("part"), null);

    assertThat(reported).containsExactly(at("whole"));
  }
}
