package io.penstock.core.sentinel;

import static io.penstock.core.sentinel.ScriptedSentinels.A;
import static io.penstock.core.sentinel.ScriptedSentinels.S1;
import static io.penstock.core.sentinel.ScriptedSentinels.S2;
import static io.penstock.core.sentinel.ScriptedSentinels.S3;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.Endpoint;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SentinelDirectoryTest {

  private static final Endpoint NAMED = new Endpoint("sentinel-1.example", 26379);

  private final SentinelDirectory directory = new SentinelDirectory(List.of(NAMED, S2));

  private static SentinelView view(Endpoint source, String id, Map<String, Endpoint> others) {
    return new SentinelView(source, id, A, 1, List.of(), others);
  }

  @Test
  void a_sentinel_with_a_name_and_an_address_counts_once() {
    SentinelView first = view(NAMED, "1", Map.of("2", S2, "3", S3));
    SentinelView second = view(S2, "2", Map.of("1", S1, "3", S3));
    directory.answered(List.of(first, second), List.of());
    assertThat(directory.count(List.of(first, second), List.of(first, second))).isEqualTo(3);
    directory.learn(Claim.of(List.of(first, second), 3));
    assertThat(directory.addresses()).containsExactlyInAnyOrder(NAMED, S2, S3);
  }

  @Test
  void a_name_that_fails_is_replaced_by_the_address() {
    SentinelView second = view(S2, "2", Map.of("1", S1, "3", S3));
    directory.answered(List.of(second), List.of(NAMED));
    directory.learn(Claim.of(List.of(second), 3));
    assertThat(directory.addresses()).containsExactlyInAnyOrder(NAMED, S1, S2, S3);
  }

  @Test
  void a_majority_replaces_what_was_known() {
    directory.learn(Claim.of(List.of(view(S2, "2", Map.of("9", A))), 3));
    assertThat(directory.addresses()).contains(A);
    SentinelView first = view(NAMED, "1", Map.of("2", S2));
    SentinelView second = view(S2, "2", Map.of("1", S1));
    directory.learn(Claim.of(List.of(first, second), 2));
    assertThat(directory.addresses()).doesNotContain(A);
  }

  @Test
  void the_epoch_of_a_claim_is_the_majoritys() {
    SentinelView liar = new SentinelView(S1, "1", A, 1_000_000, List.of(), Map.of());
    SentinelView low = new SentinelView(S2, "2", A, 4, List.of(), Map.of());
    SentinelView same = new SentinelView(S3, "3", A, 5, List.of(), Map.of());
    assertThat(Claim.of(List.of(liar, low, same), 3).epoch()).isEqualTo(5);
    assertThat(Claim.of(List.of(liar), 3).epoch()).isEqualTo(1_000_000);
    assertThat(Claim.of(List.of(liar), 3).ofMajority()).isFalse();
  }
}
