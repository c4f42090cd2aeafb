package io.penstock.core.discovery;

import static io.penstock.core.discovery.Views.A;
import static io.penstock.core.discovery.Views.B;
import static io.penstock.core.discovery.Views.C;
import static io.penstock.core.discovery.Views.D;
import static io.penstock.core.discovery.Views.view;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.cluster.SlotMap;
import io.penstock.core.topology.ManualThread;
import io.penstock.core.topology.Refresh;
import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.RefreshTrigger;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Redirects and refreshes in every order. */
class PublishedSlotMapTest {

  private static final Duration SPREAD = Duration.ofNanos(SlotPatches.SPREADING_NANOS);
  private static final Endpoint NEW = new Endpoint("10.0.0.9", 7000);

  private final ManualThread thread = new ManualThread();
  private final List<SlotMap> notified = new ArrayList<>();
  private final PublishedSlotMap map = new PublishedSlotMap(thread, notified::add);
  private KnownCluster knowledge = KnownCluster.NONE;
  private long begun;

  @BeforeEach
  void start_with_a_healthy_cluster() {
    refresh(Views.HEALTHY);
    thread.run();
    notified.clear();
  }

  @Test
  void a_redirect_applies_at_once_and_only_to_its_slot() {
    patch(0, B);
    assertThat(owner(0)).isEqualTo(B);
    assertThat(owner(1)).isEqualTo(A);
  }

  @Test
  void a_redirect_may_name_an_unknown_node() {
    patch(0, NEW);
    assertThat(owner(0)).isEqualTo(NEW);
  }

  @Test
  void a_refresh_that_began_before_the_redirect_does_not_undo_it() {
    Refresh refresh = begin();
    patch(0, B);
    end(refresh, Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(B);
  }

  @Test
  void an_older_refresh_does_not_undo_a_redirect_to_a_new_node() {
    Refresh refresh = begin();
    patch(0, NEW);
    end(refresh, Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(NEW);
  }

  @Test
  void a_redirect_is_kept_even_if_the_map_agreed_with_it() {
    refresh(Views.SLOT_0_ON_B.replace("0 0 5 connected", "0 0 2 connected"));
    Refresh refresh = begin();
    patch(0, B);
    end(refresh, Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(B);
  }

  @Test
  void a_refresh_that_began_before_undoes_it_with_a_newer_claim() {
    Refresh refresh = begin();
    patch(0, B);
    end(refresh, Views.D_PROMOTED);
    assertThat(owner(0)).as("epoch 4 beats a's 1 and b's 2").isEqualTo(D);
  }

  @Test
  void a_claim_with_a_lower_epoch_does_not_undo_a_redirect() {
    refresh(Views.HEALTHY.replace("0 0 3 connected", "0 0 7 connected"));
    Refresh refresh = begin();
    patch(0, C);
    end(refresh, Views.D_PROMOTED.replace("0 0 3 connected", "0 0 7 connected"));
    assertThat(owner(0)).as("c claims with 7, d with 4").isEqualTo(C);
    assertThat(owner(1)).isEqualTo(D);
  }

  @Test
  void an_overruled_redirect_does_not_come_back() {
    Refresh refresh = begin();
    patch(0, B);
    end(refresh, Views.D_PROMOTED);
    end(begin(), Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(D);
  }

  @Test
  void a_refresh_that_began_long_after_a_wrong_redirect_undoes_it() {
    patch(0, NEW);
    thread.advance(SPREAD);
    refresh(Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(A);
    assertThat(map.current().indexOfMaster(NEW)).isEqualTo(-1);
  }

  @Test
  void a_late_node_does_not_undo_a_redirect() {
    patch(0, D);
    assertThat(refresh(Views.HEALTHY)).as("agreed").isFalse();
    assertThat(owner(0)).isEqualTo(D);
    assertThat(refresh(Views.D_PROMOTED)).isTrue();
    assertThat(owner(0)).isEqualTo(D);
    assertThat(owner(1)).isEqualTo(D);
    refresh(Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(D);
  }

  @Test
  void the_old_owner_with_the_new_epoch_does_not_undo_a_redirect() {
    patch(0, D);
    String taken = Views.HEALTHY.replace("0 0 1 connected", "0 0 4 connected");
    assertThat(refresh(taken)).isFalse();
    assertThat(owner(0)).isEqualTo(D);
    thread.advance(SPREAD);
    refresh(
        Views.D_PROMOTED.replace("master,fail - 0 0 1 disconnected", "slave d 0 0 4 connected"));
    assertThat(owner(0)).isEqualTo(D);
    assertThat(owner(1)).isEqualTo(D);
  }

  @Test
  void a_view_that_agrees_removes_a_redirect_at_once() {
    patch(0, B);
    assertThat(refresh(Views.SLOT_0_ON_B.replace("0 0 5 connected", "0 0 2 connected"))).isTrue();
    thread.advance(SPREAD);
    assertThat(refresh(Views.HEALTHY)).isTrue();
    assertThat(owner(0)).as("no redirect speaks against the view").isEqualTo(A);
  }

  @Test
  void a_newer_claim_undoes_a_fresh_redirect() {
    patch(0, B);
    assertThat(refresh(Views.D_PROMOTED)).isTrue();
    assertThat(owner(0)).as("epoch 4 beats a's 1 and b's 2").isEqualTo(D);
  }

  @Test
  void a_later_refresh_with_stale_claims_keeps_a_redirect() {
    refresh(Views.D_PROMOTED);
    patch(0, B);
    thread.advance(SPREAD);
    refresh(Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(B);
    refresh(Views.D_PROMOTED);
    assertThat(owner(0)).isEqualTo(D);
  }

  @Test
  void the_latest_redirect_of_a_slot_applies() {
    Refresh refresh = begin();
    patch(0, B);
    patch(0, C);
    end(refresh, Views.HEALTHY);
    assertThat(owner(0)).isEqualTo(C);
  }

  @Test
  void a_minority_does_not_undo_redirects() {
    patch(0, B);
    refresh(Views.A_ALONE);
    assertThat(owner(0)).isEqualTo(B);
  }

  @Test
  void a_redirect_on_a_slot_without_owner_stays() {
    refresh(Views.HEALTHY.replace("connected 0-5460", "connected 1-5460"));
    Refresh refresh = begin();
    patch(0, B);
    end(refresh, Views.HEALTHY.replace("connected 0-5460", "connected 1-5460"));
    assertThat(owner(0)).isEqualTo(B);
  }

  @Test
  void the_latest_map_is_notified_once() {
    patch(0, B);
    patch(1, B);
    assertThat(notified).isEmpty();
    thread.run();
    assertThat(notified).containsExactly(map.current());
    patch(1, B);
    thread.run();
    assertThat(notified).hasSize(1);
  }

  @Test
  void an_unchanged_cluster_keeps_its_map() {
    SlotMap before = map.current();
    refresh(Views.HEALTHY);
    thread.run();
    assertThat(map.current()).isSameAs(before);
    assertThat(notified).isEmpty();
  }

  private void patch(int slot, Endpoint owner) {
    map.patch(slot, owner, begun, thread.nanoTime());
  }

  private boolean refresh(String text) {
    return end(begin(), text);
  }

  private Refresh begin() {
    return new Refresh(RefreshTrigger.PERIODIC, ++begun, thread.nanoTime());
  }

  private boolean end(Refresh refresh, String text) {
    ClusterView view = view(text);
    KnownCluster before = knowledge;
    KnownCluster.Merged merged = before.merge(view);
    knowledge = merged.now();
    return map.replace(refresh, view, before, merged);
  }

  private Endpoint owner(int slot) {
    return requireNonNull(map.current().shardOf(slot)).master();
  }
}
