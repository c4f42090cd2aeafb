package io.penstock.bench.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class OpenClientTest {

  @Test
  void latencyCountsFromWhenEachRequestWasDue() {
    OpenClient client = new OpenClient(TimeUnit.SECONDS.toNanos(2));
    EmbeddedChannel channel = new EmbeddedChannel(client);
    client.over(channel);
    long due = System.nanoTime() - TimeUnit.SECONDS.toNanos(30);

    client.send(client.buffer(), 2, due);
    channel.writeInbound(Unpooled.copiedBuffer("$-1\r\n$-1\r\n", StandardCharsets.US_ASCII));

    assertThat(client.carriedOut().requests()).isEqualTo(2);
    Histogram latencies = client.carriedOut().latencies();
    assertThat(latencies.getMaxValue()).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(30));
    assertThat(latencies.getMaxValue() - latencies.getMinValue())
        .isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(1_900)); // three digits are kept
    channel.releaseOutbound();
    client.end();
  }
}
