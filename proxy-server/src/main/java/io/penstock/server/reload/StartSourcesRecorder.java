package io.penstock.server.reload;

import org.springframework.boot.EnvironmentPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.bootstrap.BootstrapRegistry.InstanceSupplier;
import org.springframework.boot.bootstrap.ConfigurableBootstrapContext;
import org.springframework.boot.context.config.ConfigDataEnvironmentPostProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.env.ConfigurableEnvironment;

/**
 * Records {@link StartSources} immediately before Spring Boot reads configuration files, and makes
 * them a bean. Spring Boot calls it at the start, on the main thread.
 */
final class StartSourcesRecorder implements EnvironmentPostProcessor, Ordered {

  private final ConfigurableBootstrapContext bootstrap;

  StartSourcesRecorder(ConfigurableBootstrapContext bootstrap) {
    this.bootstrap = bootstrap;
  }

  @Override
  public int getOrder() {
    return ConfigDataEnvironmentPostProcessor.ORDER - 1;
  }

  @Override
  public void postProcessEnvironment(
      ConfigurableEnvironment environment, SpringApplication application) {
    StartSources sources =
        StartSources.of(environment.getPropertySources(), application.getAdditionalProfiles());
    bootstrap.registerIfAbsent(StartSources.class, InstanceSupplier.of(sources));
    bootstrap.addCloseListener(closed ->
        closed.getApplicationContext().getBeanFactory().registerSingleton("startSources", sources));
  }
}
