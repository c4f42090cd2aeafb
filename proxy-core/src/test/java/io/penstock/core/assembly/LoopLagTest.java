package io.penstock.core.assembly;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.observe.ProxyStats.LoopStats;
import io.penstock.core.transport.LoopGroup;
import io.penstock.core.transport.Transport;
import org.junit.jupiter.api.Test;

class LoopLagTest {

  @Test
  void lagIsTheLatestAndTheMaximum() {
    var group = new LoopGroup(Transport.NIO, 1);
    try {
      var lag = new LoopLag(group.loops().getFirst());

      lag.record(5);
      lag.record(9);
      lag.record(0);

      assertThat(lag.stats()).isEqualTo(new LoopStats(0, 0, 9));
    } finally {
      group.shutdown().toCompletableFuture().join();
    }
  }
}
