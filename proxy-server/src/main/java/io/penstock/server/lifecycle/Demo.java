package io.penstock.server.lifecycle;

import io.penstock.core.listener.ListenAddress;
import io.penstock.server.config.StartConfiguration;
import io.penstock.server.config.UpstreamOverride;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.ServerBinary;
import java.net.InetSocketAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;

/**
 * Profile {@code demo}: a cluster of real servers that is started and stopped with Penstock. Not a
 * configuration class, because those are evaluated when penstock.jar is built (docs/adr/0023).
 */
final class Demo implements ApplicationContextInitializer<GenericApplicationContext> {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.demo");

  private static final int MASTERS = 3;

  @Override
  public void initialize(GenericApplicationContext application) {
    if (!application.getEnvironment().matchesProfiles(StartConfiguration.DEMO)) {
      return;
    }
    application.registerBean(
        "demoCluster",
        EmbeddedCluster.class,
        Demo::startCluster,
        definition -> definition.setDestroyMethodName("close"));
    application.registerBean(
        "demoUpstream",
        UpstreamOverride.class,
        () -> new UpstreamOverride(application.getBean(EmbeddedCluster.class).resource()));
    application.registerBean("demoFirstTopology", FirstTopology.class, FirstTopology::new);
    application.registerBean(
        "demoSampleCommand",
        SampleCommandLog.class,
        () ->
            new SampleCommandLog(
                application.getBean(ProxyLifecycle.class),
                application.getBean(FirstTopology.class)));
  }

  private static EmbeddedCluster startCluster() {
    ServerBinary binary = ServerBinary.find();
    LOG.info("Starting a demo cluster of {} masters with {}", MASTERS, binary);
    return EmbeddedCluster.builder().binary(binary).masters(MASTERS).start();
  }

  /** Logs a command to try once Penstock listens and the topology is known. */
  record SampleCommandLog(ProxyLifecycle lifecycle, FirstTopology firstTopology)
      implements ApplicationListener<ApplicationReadyEvent> {

    @Override
    public void onApplicationEvent(ApplicationReadyEvent ready) {
      firstTopology.then(() -> {
        InetSocketAddress address = lifecycle.address();
        SearchPath path = SearchPath.ofThisProcess();
        if (address != null) {
          LOG.info("Try it: {}", TryIt.line(address, path));
        } else if (lifecycle.listenAddress() instanceof ListenAddress.Unix unix) {
          LOG.info("Try it: {}", TryIt.line(unix.name(), path));
        }
      });
    }
  }
}
