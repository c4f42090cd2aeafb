package io.penstock.core.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.control.Pinger;
import io.penstock.core.observe.LogPrefix;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.Placement;
import io.penstock.core.upstream.RefreshTrigger;
import io.penstock.core.upstream.TopologyStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ProxiesTopologyTest {

  private static final Endpoint A = new Endpoint("a", 1);
  private static final Endpoint B = new Endpoint("b", 1);
  private static final Endpoint C = new Endpoint("c", 1);
  private static final Duration BACK_OFF = Duration.ofSeconds(3); // longer than the longest

  private final ManualThread thread = new ManualThread();
  private final Proxies proxies = new Proxies();
  private final List<Placement> published = new ArrayList<>();
  private final ProxiesTopology topology =
      new ProxiesTopology(
          List.of(A, B, C),
          new ProxiesTopology.Settings(
              Duration.ofSeconds(30), Duration.ofSeconds(1), LogPrefix.NONE),
          new ProxiesTopology.Environment(proxies, thread, new Random(1)));

  /** Answers at once, unless a proxy is down or frozen. */
  private static final class Proxies implements Pinger {

    private final Set<Endpoint> down = new HashSet<>();
    private final Set<Endpoint> frozen = new HashSet<>();
    private int pings;

    @Override
    public CompletionStage<Optional<String>> clusterFailure(Endpoint node) {
      throw new AssertionError("a proxy is not asked for a cluster");
    }

    @Override
    public CompletionStage<?> ping(Endpoint node) {
      pings++;
      if (frozen.contains(node)) {
        return new CompletableFuture<>();
      }
      return down.contains(node)
          ? CompletableFuture.failedFuture(new IllegalStateException("connection refused"))
          : CompletableFuture.completedFuture("PONG");
    }

    @Override
    public void keepOnly(Set<Endpoint> nodes) {
      // Nothing to forget.
    }
  }

  private void start() {
    topology.onChange(published::add);
    topology.start();
    thread.run();
  }

  private void refresh() {
    topology.requestRefresh(RefreshTrigger.RECONNECT);
    thread.advance(BACK_OFF);
  }

  private List<Endpoint> lanes() {
    List<Endpoint> nodes = new ArrayList<>();
    for (int i = 0; i < topology.lanes(); i++) {
      nodes.add(topology.lane(i).current().shards().getFirst().master());
    }
    return nodes;
  }

  private Endpoint shown() {
    return topology.current().shards().getFirst().master();
  }

  @Test
  void eachProxyHasALane() {
    assertThat(lanes()).containsExactly(A, B, C);
    assertThat(topology.lane(1).current().nodes()).containsExactly(B);
    assertThat(topology.lane(1).current().partitions()).isEqualTo(1);
    assertThat(topology.lane(1).errorPolicy()).isSameAs(ErrorPolicy.SINGLE);

    start();

    assertThat(lanes()).containsExactly(A, B, C);
    assertThat(published).isEmpty();
  }

  @Test
  void operatorsSeeAllProxies() {
    start();

    assertThat(topology.current().nodes()).containsExactlyInAnyOrder(A, B, C);
    assertThat(topology.status()).isEqualTo(TopologyStatus.UNKNOWN);

    proxies.down.add(A);
    refresh();

    assertThat(shown()).isEqualTo(B);
    assertThat(topology.current().nodes()).containsExactlyInAnyOrder(A, B, C);
    assertThat(published.getLast()).isSameAs(topology.current());
  }

  @Test
  void aLaneMovesToTheNextProxyThatAnswers() {
    proxies.down.add(C);
    start();
    assertThat(lanes()).containsExactly(A, B, A);
    assertThat(published).hasSize(1);

    proxies.down.add(A);
    refresh();

    assertThat(lanes()).containsExactly(B, B, B);
  }

  @Test
  void aLaneReturnsWhenItsProxyAnswersAgain() {
    proxies.down.addAll(List.of(A, B));
    start();
    assertThat(lanes()).containsExactly(C, C, C);

    proxies.down.remove(B);
    thread.advance(BACK_OFF);
    assertThat(lanes()).containsExactly(B, B, C);

    proxies.down.remove(A);
    thread.advance(BACK_OFF);
    assertThat(lanes()).containsExactly(A, B, C);
  }

  @Test
  void aFrozenProxyIsLeftOutWhenItsTimeIsOver() {
    start();
    proxies.frozen.add(B);
    topology.lane(1).requestRefresh(RefreshTrigger.NO_REPLY);
    thread.advance(ProxiesTopology.ANSWER_TIMEOUT.minusMillis(1));
    assertThat(lanes()).containsExactly(A, B, C);

    thread.advance(BACK_OFF);

    assertThat(lanes()).containsExactly(A, C, C);
  }

  @Test
  void lanesStayWhereTheyAreIfNoProxyAnswers() {
    proxies.down.add(A);
    start();
    proxies.down.addAll(List.of(B, C));

    refresh();

    assertThat(lanes()).containsExactly(B, B, C);
  }

  @Test
  void aPlacementThatComesBackIsTheSameObject() {
    start();
    Placement own = topology.lane(0).current();
    proxies.down.add(A);
    refresh();
    assertThat(topology.lane(0).current()).isSameAs(topology.lane(1).current());
    proxies.down.clear();
    thread.advance(BACK_OFF);

    assertThat(topology.lane(0).current()).isSameAs(own);
  }

  @Test
  void noRefreshBeginsAfterTheEnd() {
    start();
    int before = proxies.pings;

    topology.close();
    thread.run();
    refresh();

    assertThat(proxies.pings).isEqualTo(before);
  }

  @Test
  void aRedirectChangesNothing() {
    topology.moved(0, B);
    topology.lane(0).moved(0, B);

    assertThat(lanes()).containsExactly(A, B, C);
  }
}
