package io.penstock.server;

import io.penstock.server.cli.Check;
import io.penstock.server.cli.CommandLine;
import io.penstock.server.cli.Compare;
import io.penstock.server.cli.CompareOptions;
import io.penstock.server.cli.Help;
import io.penstock.server.cli.UsageException;
import io.penstock.server.cli.Version;
import io.penstock.server.copies.CopiesConfiguration;
import io.penstock.server.diagnostics.OpenedFiles;
import io.penstock.server.health.HealthConfiguration;
import io.penstock.server.lifecycle.LifecycleConfiguration;
import io.penstock.server.management.ManagementConfiguration;
import io.penstock.server.metrics.MetricsConfiguration;
import io.penstock.server.reload.HangupSignal;
import io.penstock.server.reload.ReloadConfiguration;
import io.penstock.server.tls.TlsConfiguration;
import java.util.List;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Import;
import org.springframework.core.io.ResourceLoader;

/**
 * The application's main class. It imports its configuration classes by name: with component
 * scanning Spring would read every class of these packages at each start.
 */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({
  CopiesConfiguration.class,
  LifecycleConfiguration.class,
  HealthConfiguration.class,
  ManagementConfiguration.class,
  MetricsConfiguration.class,
  ReloadConfiguration.class,
  TlsConfiguration.class
})
public class PenstockApplication {

  /** Exit status after a failed start. */
  private static final int WRONG_CONFIGURATION = 1;

  private static final int WRONG_COMMAND_LINE = 2;

  /** Runs the action of the command line: by default, starts the application. */
  public static void main(String[] args) {
    JvmProperties.set();
    try {
      CommandLine line = CommandLine.of(args);
      switch (line.action()) {
        case START -> start(line.options());
        case CHECK -> check(line.options());
        case COMPARE -> compare(CompareOptions.of(line.options()));
        case HELP -> System.out.print(Help.text());
        case VERSION -> System.out.println(Version.text());
      }
    } catch (UsageException e) {
      System.err.println(e.getMessage());
      System.err.println("Penstock was not started; --help lists the options.");
      System.exit(WRONG_COMMAND_LINE);
    }
  }

  private static void start(List<String> options) {
    SpringApplication application = application();
    application.addInitializers(new HangupSignal());
    application.run(options.toArray(String[]::new));
  }

  private static void check(List<String> options) {
    if (!Check.succeeds(application(), options, System.out)) {
      System.exit(WRONG_CONFIGURATION);
    }
  }

  private static void compare(CompareOptions options) throws UsageException {
    if (!Compare.succeeds(
        options, PenstockApplication::application, System.in, System.out, System.err)) {
      System.exit(WRONG_CONFIGURATION);
    }
  }

  private static SpringApplication application() {
    OpenedFiles files = new OpenedFiles();
    SpringApplication application =
        new SpringApplication(PenstockApplication.class) {
          @Override
          public ResourceLoader getResourceLoader() {
            return files; // for configuration files only; the context keeps its own loader
          }
        };
    application.addListeners(files);
    return application;
  }
}
