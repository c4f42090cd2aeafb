package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.Label;
import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class CompositeProxyEventsTest {

  @Test
  void passesOnEachKindOfEvent() {
    List<String> events =
        Arrays.stream(ProxyEvents.class.getDeclaredMethods())
            .filter(method -> !Modifier.isStatic(method.getModifiers()) && !method.isSynthetic())
            .map(Method::getName)
            .toList();

    assertThat(Arrays.stream(CompositeProxyEvents.class.getDeclaredMethods()).map(Method::getName))
        .containsAll(events);
  }

  @Test
  void everyListenerOfAnUpstreamGetsItsEvents() {
    List<String> seen = new ArrayList<>();
    ProxyEvents events =
        new CompositeProxyEvents(List.of(recorder("a", seen), recorder("b", seen)))
            .ofUpstream(Label.ONLY);

    events.serverEjected(new Endpoint("h", 1));
    events.serverReadmitted(new Endpoint("h", 1));

    assertThat(seen).containsExactly("a ejected", "b ejected", "a readmitted", "b readmitted");
  }

  private static ProxyEvents recorder(String name, List<String> seen) {
    return new ProxyEvents() {
      @Override
      public void serverEjected(Endpoint node) {
        seen.add(name + " ejected");
      }

      @Override
      public void serverReadmitted(Endpoint node) {
        seen.add(name + " readmitted");
      }
    };
  }
}
