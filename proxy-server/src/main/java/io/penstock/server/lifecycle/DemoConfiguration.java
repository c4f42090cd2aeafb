package io.penstock.server.lifecycle;

import io.penstock.server.config.UpstreamOverride;
import io.penstock.server.demo.EmbeddedCluster;
import io.penstock.server.demo.ServerBinary;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Profile;

/** Profile {@code demo}: a cluster of real servers that lives as long as Penstock does. */
@Configuration(proxyBeanMethods = false)
@Profile("demo")
public class DemoConfiguration {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.demo");

  private static final int MASTERS = 3;

  @Bean(destroyMethod = "close")
  EmbeddedCluster demoCluster() {
    ServerBinary binary = ServerBinary.find();
    LOG.info("Starting a cluster of {} masters with {}", MASTERS, binary);
    return EmbeddedCluster.builder().binary(binary).masters(MASTERS).start();
  }

  @Bean
  UpstreamOverride demoUpstream(EmbeddedCluster cluster) {
    return new UpstreamOverride(cluster.resource());
  }

  @Bean
  FirstView demoFirstView() {
    return new FirstView();
  }

  /** Invites when commands work: listening, and the cluster known. */
  @Bean
  ApplicationListener<ApplicationReadyEvent> demoInvitation(
      ProxyLifecycle lifecycle, FirstView firstView) {
    return ready ->
        firstView.then(
            () -> {
              InetSocketAddress address = lifecycle.address();
              if (address != null) {
                LOG.info("Try it: redis-cli -p {} set greeting hello", address.getPort());
              }
            });
  }
}
