package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyEvents;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.SinglePlacement;
import io.penstock.core.upstream.TopologyStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class TopologyReportsTest {

  private static final Endpoint NODE = new Endpoint("a", 1);
  private static final Placement PLACEMENT = new SinglePlacement(NODE);
  private static final List<TopologyStatus.Member> MEMBERS =
      List.of(new TopologyStatus.Member("id", NODE, Set.of("master"), null, true, 1, 16_384));

  private final ManualThread thread = new ManualThread();
  private final List<String> events = new ArrayList<>();
  private final TopologyReports reports = new TopologyReports(thread, new Recorder());
  private boolean eventsFail;

  private final class Recorder implements ProxyEvents {

    @Override
    public void topologyRefreshed(
        RefreshTrigger trigger, Duration took, Placement now, @Nullable Throwable failure) {
      assertThat(now).isSameAs(PLACEMENT);
      events.add(trigger + " " + took + (failure == null ? "" : " " + failure.getMessage()));
      if (eventsFail) {
        throw new IllegalStateException("listener");
      }
    }
  }

  private void succeed(RefreshTrigger trigger) {
    reports.succeeded(refresh(trigger), NODE, MEMBERS, PLACEMENT);
  }

  private void fail() {
    var failure = new IllegalStateException("no answer");
    reports.failed(refresh(RefreshTrigger.MOVED), failure, PLACEMENT);
  }

  private Refresh refresh(RefreshTrigger trigger) {
    var refresh = new Refresh(trigger, 1, thread.nanoTime());
    thread.advance(Duration.ofSeconds(2));
    return refresh;
  }

  @Test
  void theStatusIsUnknownBeforeTheFirstRefresh() {
    assertThat(reports.status()).isEqualTo(TopologyStatus.UNKNOWN);
  }

  @Test
  void aSuccessIsInTheStatusAndAnEvent() {
    succeed(RefreshTrigger.STARTUP);

    assertThat(events).containsExactly("STARTUP PT2S");
    assertThat(reports.status().nodes()).isEqualTo(MEMBERS);
    assertThat(reports.status().failuresInARow()).isZero();
    assertThat(reports.status().lastRefresh())
        .isNotNull()
        .satisfies(last -> {
          assertThat(last.isSuccess()).isTrue();
          assertThat(last.answeredBy()).isEqualTo(NODE);
          assertThat(last.at()).isEqualTo(reports.status().lastSuccess());
        });
  }

  @Test
  void aFailureKeepsTheMembersAndTheTimeOfTheLastSuccess() {
    succeed(RefreshTrigger.STARTUP);
    TopologyStatus before = reports.status();

    fail();
    fail();

    assertThat(events.getLast()).isEqualTo("MOVED PT2S no answer");
    assertThat(reports.status().failuresInARow()).isEqualTo(2);
    assertThat(reports.status().nodes()).isEqualTo(MEMBERS);
    assertThat(reports.status().lastSuccess()).isEqualTo(before.lastSuccess());
    assertThat(reports.status().lastRefresh())
        .isNotNull()
        .satisfies(last -> {
          assertThat(last.failure()).isEqualTo("no answer");
          assertThat(last.answeredBy()).isNull();
        });

    succeed(RefreshTrigger.PERIODIC);

    assertThat(reports.status().failuresInARow()).isZero();
  }

  @Test
  void aListenerOfRefreshesMayThrow() {
    eventsFail = true;

    succeed(RefreshTrigger.STARTUP);
    fail();

    assertThat(events).hasSize(2);
    assertThat(reports.status().failuresInARow()).isOne();
  }

  @Test
  void aListenerOfChangesMayThrow() {
    List<Placement> notified = new ArrayList<>();
    reports.onChange(_ -> {
      throw new IllegalStateException("listener");
    });
    reports.onChange(notified::add);

    reports.changed(PLACEMENT);

    assertThat(notified).containsExactly(PLACEMENT);
    assertThat(events).isEmpty();
  }
}
