package io.penstock.server.sources;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.boot.context.config.ConfigDataLocation;
import org.springframework.boot.context.config.ConfigDataLocationResolverContext;
import org.springframework.boot.context.config.ConfigTreeConfigDataLocationResolver;
import org.springframework.boot.context.config.ConfigTreeConfigDataResource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.io.ResourceLoader;

/**
 * Checks that a folder of values ({@code configtree:}) is within {@link Bounds}, and leaves the
 * rest to the resolver of Spring Boot that it stands before.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class BoundedTree extends ConfigTreeConfigDataLocationResolver {

  private static final String PREFIX = "configtree:";
  private static final String WILDCARD = "*";

  /** As Spring Boot looks for values. */
  private static final int DEPTH = 100;

  BoundedTree(ResourceLoader loader) {
    super(loader);
  }

  /**
   * Returns the folders.
   *
   * @throws UnboundedSourceException if one exceeds a bound
   */
  @Override
  public List<ConfigTreeConfigDataResource> resolve(
      ConfigDataLocationResolverContext context, ConfigDataLocation location) {
    List<ConfigTreeConfigDataResource> folders = super.resolve(context, location);
    try {
      for (Path folder : folders(location.getNonPrefixedValue(PREFIX))) {
        check(folder);
      }
    } catch (IOException | UncheckedIOException e) {
      return folders; // reading them reports it
    }
    return folders;
  }

  private static List<Path> folders(String location) throws IOException {
    int wildcard = location.indexOf(WILDCARD);
    Path folder = Path.of(wildcard < 0 ? location : location.substring(0, wildcard));
    if (!Files.isDirectory(folder) || wildcard < 0) {
      return List.of(folder);
    }
    List<Path> below = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(folder, Files::isDirectory)) {
      all.forEach(below::add);
    }
    return below;
  }

  private static void check(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      return;
    }
    long values = 0;
    long bytes = 0;
    try (Stream<Path> files = Files.walk(folder, DEPTH, FileVisitOption.FOLLOW_LINKS)) {
      for (Iterator<Path> each = files.iterator(); each.hasNext(); ) {
        Path file = each.next();
        if (isHidden(folder.relativize(file)) || !Files.isRegularFile(file)) {
          continue;
        }
        values++;
        bytes += Files.size(file);
        if (Files.size(file) > Bounds.SIZE) {
          throw new UnboundedSourceException(
              "file [" + file + "]",
              "has more than " + Bounds.SIZE + " bytes",
              Bounds.SIZE + " (1 MB) are allowed");
        }
        if (values > Bounds.VALUES || bytes > Bounds.CHARACTERS) {
          throw new UnboundedSourceException(
              "folder [" + folder + "]",
              "has %d files of %d bytes or more".formatted(values, bytes),
              "%d files of %d bytes are allowed".formatted(Bounds.VALUES, Bounds.CHARACTERS));
        }
      }
    }
  }

  /** Spring Boot does not read them: a volume of Kubernetes has its files in {@code ..data}. */
  private static boolean isHidden(Path relative) {
    for (Path element : relative) {
      if (element.toString().startsWith("..")) {
        return true;
      }
    }
    return false;
  }
}
