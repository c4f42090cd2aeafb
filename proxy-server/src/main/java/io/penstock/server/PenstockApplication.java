package io.penstock.server;

import io.penstock.server.diagnostics.OpenedFiles;
import io.penstock.server.health.HealthConfiguration;
import io.penstock.server.lifecycle.LifecycleConfiguration;
import io.penstock.server.management.ManagementConfiguration;
import io.penstock.server.metrics.MetricsConfiguration;
import java.security.Security;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ResourceLoader;

/**
 * Where {@code java -jar penstock.jar} begins. It names its configurations: to find them Spring
 * would read every class of these packages, at each start.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
  LifecycleConfiguration.class,
  HealthConfiguration.class,
  ManagementConfiguration.class,
  MetricsConfiguration.class
})
public class PenstockApplication {

  private static final String LEAK_DETECTION = "io.netty.leakDetection.level";

  /** For how many seconds the JVM keeps a name's address. */
  private static final String NAMES = "networkaddress.cache.ttl";

  private static final String OLD_NAMES = "sun.net.inetaddr.ttl";

  /** Whether Spring takes the beans that were decided upon when the jar was built. */
  private static final String PREPARED = "spring.aot.enabled";

  /** Starts the application. */
  public static void main(String[] args) {
    if (System.getProperty(LEAK_DETECTION) == null) {
      // Netty's default samples buffers and takes a stack trace of each: that is for tests.
      System.setProperty(LEAK_DETECTION, "disabled");
    }
    if (Security.getProperty(NAMES) == null && System.getProperty(OLD_NAMES) == null) {
      // The JVM's 30 are long for nodes that come back on other addresses.
      Security.setProperty(NAMES, "5");
    }
    if (System.getProperty(PREPARED) == null && isPackaged()) {
      System.setProperty(PREPARED, "true");
    }
    application().run(args);
  }

  private static SpringApplication application() {
    OpenedFiles files = new OpenedFiles();
    SpringApplication application =
        new SpringApplication(PenstockApplication.class) {
          @Override
          public ResourceLoader getResourceLoader() {
            return files; // for configuration files alone: the context's own loader stays
          }
        };
    application.addListeners(files);
    return application;
  }

  /**
   * From a jar, whose manifest tells the version: classes from a folder may be newer than their
   * beans.
   */
  private static boolean isPackaged() {
    return PenstockApplication.class.getPackage().getImplementationVersion() != null;
  }
}
