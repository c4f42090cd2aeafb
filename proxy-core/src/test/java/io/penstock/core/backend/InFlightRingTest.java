package io.penstock.core.backend;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.penstock.core.wire.Splits;
import java.util.ArrayDeque;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InFlightRingTest {

  private final InFlightRing ring = new InFlightRing();

  /** Distinguished by identity only. */
  private static final class Marker extends Exchange {
    @Override
    public void onReply(ByteBuf buffer, int from, int to) {}

    @Override
    public void onReplyPart(ByteBuf buffer, int from, int to, boolean last) {}

    @Override
    public void onFailure(Failure failure) {}
  }

  @Test
  void theOldestIsRemovedFirst() {
    Exchange a = new Marker();
    Exchange b = new Marker();
    assertThat(ring.isEmpty()).isTrue();

    ring.add(a);
    ring.add(b);

    assertThat(ring.size()).isEqualTo(2);
    assertThat(ring.first()).isSameAs(a);
    assertThat(ring.poll()).isSameAs(a);
    assertThat(ring.poll()).isSameAs(b);
    assertThat(ring.isEmpty()).isTrue();
  }

  @Test
  void accessBeyondTheLatestThrows() {
    assertThatThrownBy(ring::first).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(ring::poll).isInstanceOf(IllegalStateException.class);
    ring.add(new Marker());
    assertThatThrownBy(() -> ring.at(1)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void anExchangeCanBeReplaced() {
    Exchange c = new Marker();
    ring.add(new Marker());
    ring.add(new Marker());

    ring.replace(1, c);
    ring.poll();

    assertThat(ring.poll()).isSameAs(c);
  }

  @Test
  void itGrowsWhenFullWhereverItsHeadIs() {
    for (int shift = 0; shift < 64; shift++) {
      var shifted = new InFlightRing();
      for (int i = 0; i < shift; i++) {
        shifted.add(new Marker());
        shifted.poll();
      }
      Exchange[] exchanges = new Exchange[200];
      for (int i = 0; i < exchanges.length; i++) {
        exchanges[i] = new Marker();
        shifted.add(exchanges[i]);
      }
      for (Exchange exchange : exchanges) {
        assertThat(shifted.poll()).isSameAs(exchange);
      }
    }
  }

  @Test
  void itBehavesLikeAQueue() {
    Random random = Splits.random();
    var model = new ArrayDeque<Exchange>();
    for (int i = 0; i < 200_000; i++) {
      boolean filling = i % 40_000 < 20_000;
      if (model.isEmpty() || random.nextInt(100) < (filling ? 70 : 30)) {
        Exchange exchange = new Marker();
        model.add(exchange);
        ring.add(exchange);
      } else {
        assertThat(ring.poll()).isSameAs(model.poll());
      }
      assertThat(ring.size()).isEqualTo(model.size());
    }
  }
}
