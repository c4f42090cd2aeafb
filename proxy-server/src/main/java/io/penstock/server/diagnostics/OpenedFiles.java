package io.penstock.server.diagnostics;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.event.ApplicationFailedEvent;
import org.springframework.boot.logging.LogLevel;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ApplicationListener;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.FileUrlResource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Loads configuration files and finds the one that the YAML parser rejected: the parser's error
 * names a line but no file. When the start or a reload has failed, the file name is added to the
 * error. On the main thread, or on that of the reload.
 */
public final class OpenedFiles extends DefaultResourceLoader
    implements ApplicationListener<ApplicationFailedEvent> {

  /** The logger of Spring Boot's messages about a failed start; the class is not public. */
  private static final String REPORTER =
      "org.springframework.boot.diagnostics.LoggingFailureAnalysisReporter";

  private final List<Resource> opened = new ArrayList<>();
  private final Set<Path> asked = new TreeSet<>();

  /** Carries the name of the file with the error. */
  static final class InFile extends Exception {

    private static final long serialVersionUID = 1L;

    InFile(String name) {
      super(name);
    }
  }

  @Override
  public Resource getResource(String location) {
    Resource resource = super.getResource(location);
    try {
      if (!(resource instanceof FileUrlResource)) {
        return resource;
      }
      asked.add(resource.getFile().toPath().toAbsolutePath().normalize());
      return new Recorded(resource.getURL());
    } catch (IOException e) {
      return resource; // reading it will report the error
    }
  }

  @Override
  public void onApplicationEvent(ApplicationFailedEvent failed) {
    if (failed.getApplicationContext() == null) {
      // logging.level does not apply yet; at Logback's default level the message would be followed
      // by a stack trace.
      LoggingSystem.get(OpenedFiles.class.getClassLoader())
          .setLogLevel(LoggingSystem.class.getPackageName(), LogLevel.ERROR);
    }
    if (nameFileIn(failed.getException())) {
      // at debug, the exception follows the message; it has the line, which may have a password
      LoggingSystem.get(OpenedFiles.class.getClassLoader()).setLogLevel(REPORTER, LogLevel.INFO);
    }
  }

  /** Returns the files and folders that were asked for, whether they exist or not. */
  public Set<Path> paths() {
    return Set.copyOf(asked);
  }

  /**
   * Adds the name of the file to the error if the YAML parser rejected one.
   *
   * @return whether it did
   */
  public boolean nameFileIn(Throwable failure) {
    boolean found = false;
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof MarkedYAMLException broken) {
        found = true;
        opened.stream()
            .filter(file -> broken.toString().equals(errorIn(file)))
            .findFirst()
            .ifPresent(file -> broken.addSuppressed(new InFile(file.getDescription())));
      }
    }
    return found;
  }

  /** Parses the file once more, as Spring Boot does, and returns the error or null. */
  private static @Nullable String errorIn(Resource file) {
    LoaderOptions options = new LoaderOptions();
    options.setAllowDuplicateKeys(false);
    try (InputStream in = file.getInputStream()) {
      new Yaml(new SafeConstructor(options)).loadAll(in).forEach(_ -> {});
      return null;
    } catch (YAMLException e) {
      return e.toString();
    } catch (IOException e) {
      return null;
    }
  }

  private final class Recorded extends FileUrlResource {

    Recorded(URL url) {
      super(url);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      opened.add(new FileUrlResource(getURL()));
      return super.getInputStream();
    }
  }
}
