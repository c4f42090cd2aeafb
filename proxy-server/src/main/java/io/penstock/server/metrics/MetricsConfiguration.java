package io.penstock.server.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.penstock.core.Proxy;
import io.penstock.core.ProxySettings;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Hangs the proxy's figures into the registry that is scraped. */
@Configuration(proxyBeanMethods = false)
public class MetricsConfiguration {

  private static final Duration FRESH_FOR = Duration.ofMillis(500);
  private static final Duration PATIENCE = Duration.ofSeconds(2);

  @Bean
  RefreshCounter refreshCounter(MeterRegistry registry) {
    return new RefreshCounter(registry);
  }

  @Bean
  SmartInitializingSingleton proxyMetrics(PrometheusRegistry registry, Proxy proxy) {
    return () -> {
      registry.register(new ProxyCollector(new StatsReader(proxy::stats, FRESH_FOR, PATIENCE)));
      registry.register(
          new UpstreamCollector(proxy::upstreamStatus, () -> proxy.topologyStatus().lastSuccess()));
    };
  }

  /** What {@code penstock_client_memory_bytes} is held against. */
  @Bean
  MeterBinder clientMemoryLimit(ProxySettings settings) {
    long limit = settings.listen().clients().memory();
    return registry -> {
      if (limit > 0) {
        Gauge.builder("penstock.client.memory.limit", () -> limit)
            .description("What clients may keep in buffers together, maxmemory-clients")
            .baseUnit("bytes")
            .register(registry);
      }
    };
  }

  /** Netty's own memory; the JVM's is bound by Spring Boot. */
  @Bean
  MeterBinder nettyMemory() {
    return registry -> {
      if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
        new NettyAllocatorMetrics(allocator).bindTo(registry);
      }
    };
  }
}
