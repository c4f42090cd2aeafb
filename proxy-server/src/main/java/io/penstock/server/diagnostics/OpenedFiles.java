package io.penstock.server.diagnostics;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import org.springframework.boot.context.event.ApplicationFailedEvent;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ApplicationListener;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileUrlResource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Finds configuration files and remembers which were asked for. When a start has failed, it keeps
 * their lines out of the log. On the main thread, or on that of the reload.
 */
public final class OpenedFiles extends DefaultResourceLoader
    implements ApplicationListener<ApplicationFailedEvent> {

  /** The logger of Spring Boot's messages about a failed start; the class is not public. */
  private static final String REPORTER =
      "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter";

  private final Set<Path> asked = new TreeSet<>();

  @Override
  public Resource getResource(String location) {
    Resource resource = super.getResource(location);
    if (resource instanceof FileUrlResource) {
      try {
        asked.add(resource.getFile().toPath().toAbsolutePath().normalize());
      } catch (IOException e) {
        return resource; // reading it will report the error
      }
    }
    return resource;
  }

  @Override
  public void onApplicationEvent(ApplicationFailedEvent failed) {
    if (failed.getApplicationContext() == null) {
      // logging.level does not apply yet; at Logback's default level the message would be followed
      // by a stack trace.
      LoggingSystem.get(OpenedFiles.class.getClassLoader())
          .setLogLevel(LoggingSystem.class.getPackageName(), LogLevel.ERROR);
    }
    if (isInvalidYaml(failed.getException())) {
      // at debug, the exception follows the message; it has the line, which may have a password
      LoggingSystem.get(OpenedFiles.class.getClassLoader()).setLogLevel(REPORTER, LogLevel.INFO);
    }
  }

  /** Returns the files and folders that were asked for, whether they exist or not. */
  public Set<Path> paths() {
    return Set.copyOf(asked);
  }

  private static boolean isInvalidYaml(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof YAMLException) {
        return true;
      }
    }
    return false;
  }
}
