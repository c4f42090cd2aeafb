package io.penstock.server.cli;

import io.penstock.core.ProxySettings;
import io.penstock.core.ProxySettings.Dispatch;
import io.penstock.core.ProxySettings.Listen;
import io.penstock.core.upstream.Endpoint;
import io.penstock.server.config.StartConfiguration;
import java.io.PrintStream;
import java.net.InetAddress;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplication.AbandonedRunException;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties;
import org.springframework.boot.autoconfigure.context.LifecycleProperties;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.autoconfigure.ServerProperties;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * {@code --check}: begins a start and abandons it after the configuration is read and before any
 * bean is created. Errors are therefore found and reported as in a real start; no port is opened
 * and no server contacted.
 */
public final class Check implements SpringApplicationRunListener {

  private static final Pattern FILE = Pattern.compile("Config resource 'file \\[(.+)]' via .*");

  private final PrintStream out;

  private Check(PrintStream out) {
    this.out = out;
  }

  /**
   * Prints what Penstock would do with this configuration.
   *
   * @param application must not have run yet; cannot be run afterwards
   * @return whether the configuration is valid; if not, the log says why
   */
  public static boolean succeeds(
      SpringApplication application, List<String> options, PrintStream out) {
    application.setBannerMode(Banner.Mode.OFF);
    try {
      SpringApplication.withHook(
          _ -> new Check(out), () -> application.run(options.toArray(String[]::new)));
      throw new IllegalStateException("the start was not abandoned after the check");
    } catch (AbandonedRunException _) {
      return true;
    } catch (RuntimeException _) { // Spring Boot has logged it
      return false;
    }
  }

  @Override
  public void contextPrepared(ConfigurableApplicationContext application) {
    StartConfiguration configuration =
        application.getBeanFactory().getBean(StartConfiguration.class);
    out.println(report(configuration, application.getEnvironment()));
    throw new AbandonedRunException(application);
  }

  private static String report(
      StartConfiguration configuration, ConfigurableEnvironment environment) {
    Binder keys = Binder.get(environment);
    keys.bindOrCreate("spring.lifecycle", LifecycleProperties.class);
    ProxySettings settings = configuration.settings();
    Listen listen = settings.listen();
    return """
    The configuration is valid (%s). Penstock would
      listen on %s (transport %s, %d event loops, dispatch %s)
      proxy to %s
      accept up to %d clients, %s
      %s\
    """
        .formatted(
            files(environment),
            listen.port() == 0
                ? "a free port of " + listen.bind()
                : new Endpoint(listen.bind(), listen.port()),
            settings.transport().configName(),
            settings.eventLoops(),
            settings.dispatch() instanceof Dispatch.Async ? "async" : "sync",
            configuration.demo()
                ? "a cluster of its own (profile demo)"
                : settings.upstream().description(),
            listen.maxClients(),
            listen.password() == null ? "without a password" : "with a password (AUTH)",
            management(keys));
  }

  /** Returns the configuration files, taken from the names that Spring gives property sources. */
  private static String files(ConfigurableEnvironment environment) {
    String files =
        environment.getPropertySources().stream()
            .map(source -> FILE.matcher(source.getName()))
            .filter(Matcher::matches)
            .map(file -> file.group(1))
            .collect(Collectors.joining(", "));
    return files.isEmpty() ? "no file" : files;
  }

  private static String management(Binder keys) {
    ServerProperties server = keys.bindOrCreate("server", ServerProperties.class);
    keys.bindOrCreate("management.server", ManagementServerProperties.class);
    Integer port = server.getPort();
    return port == null || port < 0
        ? "not serve health and metrics (management.server.port is not set)"
        : "serve health and metrics on "
            + (port == 0 ? "a free port" : "port " + port)
            + " of "
            + address(server.getAddress());
  }

  private static String address(@Nullable InetAddress address) {
    return address == null ? "all addresses" : address.getHostAddress();
  }
}
