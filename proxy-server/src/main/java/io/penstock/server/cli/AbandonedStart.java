package io.penstock.server.cli;

import java.util.List;
import java.util.function.Consumer;
import org.springframework.boot.Banner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringApplication.AbandonedRunException;
import org.springframework.boot.SpringApplicationRunListener;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * Begins a start and abandons it after the configuration is read and before any bean is created.
 * Errors are therefore found and reported as in a real start; no port is opened and no server
 * contacted.
 */
record AbandonedStart(Consumer<ConfigurableApplicationContext> reader)
    implements SpringApplicationRunListener {

  /**
   * Reads the configuration.
   *
   * @param application must not have run yet; cannot be run afterwards
   * @param reader gets the application when it has the configuration
   * @return whether the configuration is valid; if not, the log says why
   */
  static boolean succeeds(
      SpringApplication application,
      List<String> options,
      Consumer<ConfigurableApplicationContext> reader) {
    application.setBannerMode(Banner.Mode.OFF);
    try {
      SpringApplication.withHook(
          _ -> new AbandonedStart(reader), () -> application.run(options.toArray(String[]::new)));
      throw new IllegalStateException("the start was not abandoned after the check");
    } catch (AbandonedRunException _) {
      return true;
    } catch (RuntimeException _) { // Spring Boot has logged it
      return false;
    }
  }

  @Override
  public void contextPrepared(ConfigurableApplicationContext application) {
    reader.accept(application);
    throw new AbandonedRunException(application);
  }
}
