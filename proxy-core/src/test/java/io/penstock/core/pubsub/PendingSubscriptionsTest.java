package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PendingSubscriptionsTest {

  private static final Name NEWS = name("news");

  private final PendingSubscriptions pending = new PendingSubscriptions();
  private final List<String> told = new ArrayList<>();

  private static Name name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
    return Name.copy(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
  }

  private long begin(Kind kind, Name name) {
    long request = pending.nextRequest();
    pending.begin(kind, name, request);
    return request;
  }

  private boolean waits(Kind kind, Name name, String text) {
    return pending.whenEnded(new PendingSubscriptions.Channel(kind, name), () -> told.add(text));
  }

  @Test
  void nothingWaitsForOtherNamesAndPatterns() {
    begin(Kind.SHARD, NEWS);
    begin(Kind.PATTERN, NEWS);
    begin(Kind.CHANNEL, name("other"));

    assertThat(waits(Kind.CHANNEL, NEWS, "a")).isFalse();
    assertThat(told).isEmpty();
  }

  @Test
  void whatWaitsGoesOnWhenTheLastRequestThatWasEarlierEnds() {
    long first = begin(Kind.CHANNEL, NEWS);
    long second = begin(Kind.CHANNEL, NEWS);
    assertThat(waits(Kind.CHANNEL, NEWS, "a")).isTrue();
    long later = begin(Kind.CHANNEL, NEWS);
    assertThat(waits(Kind.CHANNEL, NEWS, "b")).isTrue();

    pending.end(Kind.CHANNEL, NEWS, second);
    pending.end(Kind.CHANNEL, NEWS, second);
    assertThat(told).isEmpty();
    pending.end(Kind.CHANNEL, NEWS, first);
    assertThat(told).containsExactly("a");
    pending.end(Kind.CHANNEL, NEWS, later);
    assertThat(told).containsExactly("a", "b");
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void whatWaitsForARequestThatIsHandledWaitsForItsNewNumber() {
    long first = begin(Kind.CHANNEL, NEWS);
    waits(Kind.CHANNEL, NEWS, "a");
    long read = begin(Kind.CHANNEL, NEWS);
    waits(Kind.CHANNEL, NEWS, "b");
    long handled = begin(Kind.CHANNEL, NEWS);

    pending.handOver(Kind.CHANNEL, NEWS, read);
    pending.end(Kind.CHANNEL, NEWS, first);
    assertThat(told).containsExactly("a");
    pending.end(Kind.CHANNEL, NEWS, handled);

    assertThat(told).containsExactly("a", "b");
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void whatWaitsForARequestThatIsGivenUpGoesOn() {
    long read = begin(Kind.CHANNEL, NEWS);
    waits(Kind.CHANNEL, NEWS, "a");

    pending.handOver(Kind.CHANNEL, NEWS, read);

    assertThat(told).containsExactly("a");
    assertThat(pending.isEmpty()).isTrue();
  }

  @Test
  void aChannelThatIsAlwaysAskedForHoldsNothingForLong() {
    long last = begin(Kind.CHANNEL, NEWS);
    for (int i = 0; i < 10; i++) {
      waits(Kind.CHANNEL, NEWS, "" + i);
      long next = begin(Kind.CHANNEL, NEWS);
      pending.end(Kind.CHANNEL, NEWS, last);
      assertThat(told).hasSize(i + 1);
      last = next;
    }
  }
}
