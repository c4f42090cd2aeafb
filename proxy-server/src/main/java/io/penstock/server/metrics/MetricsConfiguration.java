package io.penstock.server.metrics;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.binder.netty4.NettyAllocatorMetrics;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.penstock.core.Proxy;
import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxyUpstream;
import io.penstock.core.assembly.RespUpstream;
import io.penstock.core.assembly.TcpUpstream;
import io.penstock.server.tls.TlsBundles;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** Registers the metrics of the proxy where Prometheus reads them. */
@Configuration(proxyBeanMethods = false)
public class MetricsConfiguration {

  private static final Duration MAX_AGE = Duration.ofMillis(500);
  private static final Duration TIMEOUT = Duration.ofSeconds(2);

  @Bean
  RefreshCounter refreshCounter(MeterRegistry registry) {
    return new RefreshCounter(registry);
  }

  @Bean
  EjectionCounter ejectionCounter(MeterRegistry registry, ProxySettings settings) {
    return new EjectionCounter(registry, settings);
  }

  @Bean
  @Lazy(false) // its series exist before the first reload
  BundleReloadCounter bundleReloadCounter(MeterRegistry registry, TlsBundles bundles) {
    return new BundleReloadCounter(registry, bundles.used());
  }

  @Bean
  SmartInitializingSingleton proxyMetrics(PrometheusRegistry registry, Proxy proxy) {
    return () -> {
      registry.register(new ProxyCollector(new StatsReader(proxy::statsByName, MAX_AGE, TIMEOUT)));
      registry.register(
          new UpstreamCollector(
              () -> only(RespUpstream.class, proxy).map(MetricsConfiguration::view).toList()));
      registry.register(
          new CopyJobCollector(
              () -> only(RespUpstream.class, proxy).flatMap(MetricsConfiguration::jobs).toList()));
      registry.register(new UsersCollector(proxy::users));
      registry.register(
          new TcpCollector(() ->
              only(TcpUpstream.class, proxy)
                  .map(upstream ->
                      new TcpCollector.View(
                          upstream.name(), upstream.status(), upstream.turnedAway()))
                  .toList()));
    };
  }

  /** Returns the upstreams of one kind. */
  private static <T extends ProxyUpstream> Stream<T> only(Class<T> kind, Proxy proxy) {
    return proxy.upstreams().stream().filter(kind::isInstance).map(kind::cast);
  }

  private static Stream<CopyJobCollector.View> jobs(RespUpstream upstream) {
    return upstream.copyJobs().entrySet().stream()
        .flatMap(copy ->
            copy.getValue().status().stream()
                .map(job -> new CopyJobCollector.View(upstream.name(), copy.getKey(), job)));
  }

  private static UpstreamCollector.View view(RespUpstream upstream) {
    return new UpstreamCollector.View(
        upstream.name(),
        upstream.status(),
        upstream.topologyStatus().lastSuccess(),
        upstream.readsReplicas(),
        upstream.topologyStatus().sentinels());
  }

  /** The limit of {@link Metric#CLIENT_MEMORY}. */
  @Bean
  MemoryLimits clientMemoryLimit(ProxySettings settings) {
    return new MemoryLimits(settings);
  }

  /** Also a {@code MeterBinder}. */
  @Bean
  ConfigurationMetrics configurationMetrics() {
    return new ConfigurationMetrics();
  }

  /** The memory of Netty's allocator; Spring Boot registers that of the JVM. */
  @Bean
  MeterBinder nettyMemory() {
    return registry -> {
      if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider allocator) {
        new NettyAllocatorMetrics(allocator).bindTo(registry);
      }
    };
  }
}
