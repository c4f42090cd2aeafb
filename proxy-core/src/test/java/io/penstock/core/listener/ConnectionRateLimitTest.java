package io.penstock.core.listener;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.penstock.core.observe.ProxyEvents;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ConnectionRateLimitTest {

  private final Admission admission = new Admission(10, ProxyEvents.NONE);

  @Test
  void theNextClientWaitsUntilTheRateAllowsIt() {
    var listening = new EmbeddedChannel(new ConnectionRateLimit(1, admission));
    listening.freezeTime();

    listening.writeInbound("a client");

    assertThat(listening.<String>readInbound()).isEqualTo("a client");
    assertThat(listening.config().isAutoRead()).isFalse();
    assertThat(admission.delayed()).isEqualTo(1);

    listening.advanceTimeBy(1, TimeUnit.SECONDS);
    listening.runScheduledPendingTasks();

    assertThat(listening.config().isAutoRead()).isTrue();
  }

  @Test
  void aSmallBurstIsNotDelayed() {
    var listening = new EmbeddedChannel(new ConnectionRateLimit(1_000_000, admission));

    listening.writeInbound("one", "two", "three");

    assertThat(listening.inboundMessages()).hasSize(3);
    assertThat(listening.config().isAutoRead()).isTrue();
    assertThat(admission.delayed()).isZero();
  }

  @Test
  void theLimitMayChange() {
    var limit = new ConnectionRateLimit(0, admission);
    var listening = new EmbeddedChannel(limit);
    listening.writeInbound("one", "two", "three");
    assertThat(listening.config().isAutoRead()).isTrue();

    limit.perSecond(1);
    listening.writeInbound("four");

    assertThat(listening.config().isAutoRead()).isFalse();
  }
}
