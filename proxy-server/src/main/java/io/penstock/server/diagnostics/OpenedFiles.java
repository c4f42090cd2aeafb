package io.penstock.server.diagnostics;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.ArrayList;
import java.util.List;
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
 * Loads configuration files and knows which one the YAML parser rejected: its error tells a line,
 * but no file. The file's name is added to the error when the start has failed. On the main thread.
 */
public final class OpenedFiles extends DefaultResourceLoader
    implements ApplicationListener<ApplicationFailedEvent> {

  private final List<Resource> opened = new ArrayList<>();

  /** The name of the file that an error is about. */
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
      return resource instanceof FileUrlResource ? new Noticed(resource.getURL()) : resource;
    } catch (IOException e) {
      return resource; // which tells what is wrong with it when it is read
    }
  }

  @Override
  public void onApplicationEvent(ApplicationFailedEvent failed) {
    if (failed.getApplicationContext() == null) {
      // Too early for logging.level: at Logback's own level the message would have a stack trace.
      LoggingSystem.get(OpenedFiles.class.getClassLoader())
          .setLogLevel(LoggingSystem.class.getPackageName(), LogLevel.ERROR);
    }
    for (Throwable cause = failed.getException(); cause != null; cause = cause.getCause()) {
      if (cause instanceof MarkedYAMLException broken) {
        opened.stream()
            .filter(file -> broken.toString().equals(errorIn(file)))
            .findFirst()
            .ifPresent(file -> broken.addSuppressed(new InFile(file.getDescription())));
      }
    }
  }

  /** Reads it once more, as Spring Boot does. */
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

  private final class Noticed extends FileUrlResource {

    Noticed(URL url) {
      super(url);
    }

    @Override
    public InputStream getInputStream() throws IOException {
      opened.add(new FileUrlResource(getURL()));
      return super.getInputStream();
    }
  }
}
