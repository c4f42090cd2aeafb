package io.penstock.server.lifecycle;

import io.penstock.core.listener.ListenAddress;
import io.penstock.server.config.OptionNames;
import io.penstock.server.start.StartConfiguration;
import io.penstock.server.start.UpstreamOverride;
import io.penstock.testkit.cluster.EmbeddedCluster;
import io.penstock.testkit.cluster.SearchPath;
import io.penstock.testkit.cluster.ServerBinary;
import io.penstock.testkit.cluster.TlsFiles;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ApplicationListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;

/**
 * Profile {@code demo}: a cluster of real servers that is started and stopped with Penstock. Not a
 * configuration class, because those are evaluated when penstock.jar is built (docs/adr/0023). Runs
 * before the configuration is read, to which {@code --demo.tls} adds a certificate.
 */
final class Demo implements ApplicationContextInitializer<GenericApplicationContext> {

  private static final Logger LOG = LoggerFactory.getLogger("io.penstock.demo");

  private static final int MASTERS = 3;
  private static final String BUNDLE = "penstock-demo";
  private static final String BUNDLE_KEYS = "spring.ssl.bundle.pem." + BUNDLE + ".";

  /**
   * What the demo has with TLS.
   *
   * @param nodes whether the servers have TLS too
   * @param keys with which clients, and nodes then, have TLS
   */
  private record Tls(
      ServerBinary binary, DemoCertificate certificate, boolean nodes, PropertySource<?> keys) {

    TlsFiles files() {
      Path own = certificate.certificate();
      return new TlsFiles(own, certificate.key(), own);
    }
  }

  @Override
  public void initialize(GenericApplicationContext application) {
    ConfigurableEnvironment environment = application.getEnvironment();
    if (!environment.matchesProfiles(StartConfiguration.DEMO)) {
      return;
    }
    Tls tls = StartConfiguration.isDemoWithTls(environment) ? prepareTls(environment) : null;
    if (tls != null) {
      registerClosed(application, "demoCertificate", DemoCertificate.class, tls::certificate);
    }
    registerClosed(
        application,
        "demoCluster",
        EmbeddedCluster.class,
        () -> tls == null ? startCluster() : startCluster(tls, application));
    application.registerBean(
        "demoUpstream",
        UpstreamOverride.class,
        () ->
            new UpstreamOverride(
                application.getBean(EmbeddedCluster.class).resource(),
                tls == null ? null : tls.keys()));
    application.registerBean("demoFirstTopology", FirstTopology.class, FirstTopology::new);
    application.registerBean(
        "demoSampleCommand",
        SampleCommandLog.class,
        () ->
            new SampleCommandLog(
                application.getBean(ProxyLifecycle.class),
                application.getBean(FirstTopology.class),
                tls == null ? null : tls.certificate().certificate()));
  }

  private static <T> void registerClosed(
      GenericApplicationContext application, String name, Class<T> type, Supplier<T> made) {
    application.registerBean(
        name, type, made, definition -> definition.setDestroyMethodName("close"));
  }

  /** Makes a certificate, and adds keys with which clients and, if possible, nodes have TLS. */
  private static Tls prepareTls(ConfigurableEnvironment environment) {
    ServerBinary binary = ServerBinary.find();
    DemoCertificate made;
    try {
      made = DemoCertificate.create();
    } catch (IOException e) {
      throw StartConfiguration.invalidDemo(
          environment,
          "no certificate can be made: " + e.getMessage(),
          "start Penstock with a JDK that has keytool, or without this option");
    }
    boolean nodes = binary.hasTls();
    Map<String, Object> keys = new HashMap<>();
    keys.put(BUNDLE_KEYS + "keystore.certificate", made.certificate().toString());
    keys.put(BUNDLE_KEYS + "keystore.private-key", made.key().toString());
    keys.put(BUNDLE_KEYS + "truststore.certificate", made.certificate().toString());
    keys.put(BUNDLE_KEYS + "reload-on-update", "false");
    keys.put("penstock.tls.bundle", BUNDLE);
    if (nodes) {
      keys.put("penstock.transpond.local.tls.bundle", BUNDLE);
    }
    var source = new MapPropertySource("--" + OptionNames.DEMO_TLS, keys);
    environment.getPropertySources().addFirst(source);
    return new Tls(binary, made, nodes, source);
  }

  private static EmbeddedCluster startCluster() {
    ServerBinary binary = ServerBinary.find();
    LOG.info("Starting a demo cluster of {} masters with {}", MASTERS, binary);
    return EmbeddedCluster.builder().binary(binary).masters(MASTERS).start();
  }

  private static EmbeddedCluster startCluster(Tls tls, GenericApplicationContext application) {
    application.getBean(DemoCertificate.class); // whose files are deleted after the cluster's end
    EmbeddedCluster.Builder cluster =
        EmbeddedCluster.builder().binary(tls.binary()).masters(MASTERS);
    LOG.info("Starting a demo cluster of {} masters with {}", MASTERS, tls.binary());
    if (tls.nodes()) {
      LOG.info("TLS: clients, and connections to nodes; {}", tls.certificate());
      return cluster.tls(tls.files()).start();
    }
    LOG.info("TLS: clients only, because this server is built without TLS; {}", tls.certificate());
    return cluster.start();
  }

  /**
   * Logs a command to try once Penstock listens and the topology is known.
   *
   * @param authority file of the certificate that clients must trust; null without TLS
   */
  record SampleCommandLog(
      ProxyLifecycle lifecycle, FirstTopology firstTopology, @Nullable Path authority)
      implements ApplicationListener<ApplicationReadyEvent> {

    @Override
    public void onApplicationEvent(ApplicationReadyEvent ready) {
      firstTopology.then(() -> {
        InetSocketAddress address = lifecycle.address();
        SearchPath path = SearchPath.ofThisProcess();
        if (address != null) {
          LOG.info("Try it: {}", TryIt.line(address, authority, path));
        } else if (lifecycle.listenAddress() instanceof ListenAddress.Unix unix) {
          LOG.info("Try it: {}", TryIt.line(unix.name(), path));
        }
      });
    }
  }
}
