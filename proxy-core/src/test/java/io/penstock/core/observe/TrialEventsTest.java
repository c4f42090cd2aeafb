package io.penstock.core.observe;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Endpoint;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrialEventsTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);

  private final List<Endpoint> seen = new ArrayList<>();
  private final TrialEvents events =
      new TrialEvents(
          new ProxyEvents() {
            @Override
            public void backendConnected(Endpoint node) {
              seen.add(node);
            }
          },
          Runnable::run);

  @Test
  void eventsArePassedOnInOrderWhenTheTrialEnds() {
    events.backendConnected(A);
    events.backendConnected(B);
    assertThat(seen).isEmpty();

    events.endTrial();
    assertThat(seen).containsExactly(A, B);

    events.backendConnected(A);
    assertThat(seen).containsExactly(A, B, A);
  }

  @Test
  void aLongTrialKeepsTheFirstEvents() {
    for (int i = 0; i < 2_000; i++) {
      events.backendConnected(A);
    }
    events.endTrial();

    assertThat(seen).hasSize(1_000);
  }

  @Test
  void everyEventOfAnUpstreamIsKept() {
    List<String> others = List.of("ofUpstream", "ofListener", "clientRejected");

    assertThat(Arrays.stream(TrialEvents.class.getDeclaredMethods()).map(Method::getName))
        .containsAll(
            Arrays.stream(ProxyEvents.class.getDeclaredMethods())
                .map(Method::getName)
                .filter(name -> !name.contains("$") && !others.contains(name))
                .toList());
  }
}
