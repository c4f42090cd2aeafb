package io.penstock.server.reload;

import io.penstock.server.diagnostics.OpenedFiles;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.ConfigTreePropertySource;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.PropertySource;

/** Reads the configuration files again. On the thread of the reload. */
final class Reading {

  private static final String TREE = "configtree:";

  /** The keys that name more files. */
  private static final String LOCATIONS = "spring.config.";

  private static final int ATTEMPTS = 5;
  private static final long PAUSE_MILLIS = 100;

  private final StartSources sources;
  private WatchedFiles files = WatchedFiles.NONE;
  private Map<Path, String> digests = Map.of();

  Reading(StartSources sources) {
    this.sources = sources;
  }

  /**
   * Returns everything as a start reads it. Files that change meanwhile are read again.
   *
   * @throws RuntimeException if a file cannot be used; the message may contain a part of it
   */
  ConfigurableEnvironment read() {
    RuntimeException failure = null;
    ConfigurableEnvironment environment = null;
    for (int i = 0; i < ATTEMPTS; i++) {
      Map<Path, String> before = files.digests();
      OpenedFiles opened = new OpenedFiles();
      failure = null;
      environment = null;
      try {
        environment = sources.read(opened);
      } catch (RuntimeException e) {
        failure = e;
      }
      files = files(opened, environment);
      digests = before;
      if (before.equals(files.digests())) {
        break;
      }
      pause();
    }
    if (environment == null) {
      throw failure == null ? new IllegalStateException("the files change all the time") : failure;
    }
    return environment;
  }

  private static void pause() {
    try {
      TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns what the {@link #files} contained immediately before they were read. */
  Map<Path, String> digests() {
    return digests;
  }

  /** Returns the files and folders that were looked for, whether they exist or not. */
  WatchedFiles files() {
    return files;
  }

  private WatchedFiles files(OpenedFiles opened, @Nullable ConfigurableEnvironment environment) {
    if (environment == null) { // what was not reached this time may be what has to be corrected
      return files.and(opened.paths(), Set.of());
    }
    Set<Path> trees = new TreeSet<>();
    for (PropertySource<?> source : environment.getPropertySources()) {
      if (source instanceof ConfigTreePropertySource tree) {
        trees.add(tree.getSource().toAbsolutePath());
      }
      if (source instanceof EnumerablePropertySource<?> listed) {
        Stream.of(listed.getPropertyNames())
            .filter(name -> name.startsWith(LOCATIONS))
            .flatMap(name -> Stream.of(String.valueOf(listed.getProperty(name)).split("[,;]")))
            .forEach(location -> addTree(trees, location, environment));
      }
    }
    return new WatchedFiles(opened.paths(), trees).and(NamedFiles.of(environment), Set.of());
  }

  /** Adds the folder of an import, which may be optional and not there yet. */
  private static void addTree(
      Set<Path> trees, String location, ConfigurableEnvironment environment) {
    int tree = location.indexOf(TREE);
    if (tree >= 0) {
      try {
        String path = environment.resolvePlaceholders(location.substring(tree + TREE.length()));
        int wildcard = path.indexOf('*');
        String folder = wildcard < 0 ? path : path.substring(0, wildcard);
        trees.add(Path.of(folder.strip()).toAbsolutePath());
      } catch (IllegalArgumentException _) {
        // no path: Spring Boot has ignored it, or reading it has failed
      }
    }
  }
}
