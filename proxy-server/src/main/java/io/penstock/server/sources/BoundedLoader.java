package io.penstock.server.sources;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.env.PropertiesPropertySourceLoader;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.OriginTrackedResource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.PropertySource;
import org.springframework.core.io.AbstractResource;
import org.springframework.core.io.Resource;
import org.yaml.snakeyaml.error.YAMLException;

/**
 * Reads a configuration file within {@link Bounds}, and leaves the rest to the loader of Spring
 * Boot that it stands before: Spring Boot asks the first one that knows the end of a file's name.
 * All files come here, wherever they are and whatever names them, at a start, for {@code --check}
 * and at a reload. What was checked is what is loaded, even if the file changes meanwhile.
 */
abstract class BoundedLoader implements PropertySourceLoader {

  private final PropertySourceLoader loader;

  private BoundedLoader(PropertySourceLoader loader) {
    this.loader = loader;
  }

  /** Before {@link OfYaml}, as in Spring Boot: of two files in one folder, the properties win. */
  @Order(Ordered.HIGHEST_PRECEDENCE)
  static final class OfProperties extends BoundedLoader {

    OfProperties() {
      super(new PropertiesPropertySourceLoader());
    }

    @Override
    void check(String file, byte[] content) {
      // has neither levels nor aliases
    }
  }

  @Order(Ordered.HIGHEST_PRECEDENCE + 1)
  static final class OfYaml extends BoundedLoader {

    OfYaml() {
      super(new YamlPropertySourceLoader());
    }

    @Override
    void check(String file, byte[] content) {
      YamlBounds.check(file, content);
    }
  }

  /** Checks what the format has bounds for, before the file is loaded. */
  abstract void check(String file, byte[] content);

  @Override
  public String[] getFileExtensions() {
    return loader.getFileExtensions();
  }

  /**
   * Reads a file.
   *
   * @throws UnboundedSourceException if it exceeds a bound
   * @throws InvalidYamlException if it is not YAML
   */
  @Override
  public List<PropertySource<?>> load(String name, Resource resource) throws IOException {
    String file = resource.getDescription();
    byte[] content = content(resource);
    if (content.length > Bounds.SIZE) {
      throw new UnboundedSourceException(
          file, "has more than " + Bounds.SIZE + " bytes", Bounds.SIZE + " (1 MB) are allowed");
    }
    try {
      check(file, content);
      Resource read =
          OriginTrackedResource.of(new Content(resource, content), Origin.from(resource));
      List<PropertySource<?>> sources = loader.load(name, read);
      SourceBounds.check(file, sources);
      return sources;
    } catch (YAMLException e) {
      throw new InvalidYamlException(file, e);
    }
  }

  private static byte[] content(Resource resource) throws IOException {
    try (InputStream in = resource.getInputStream()) {
      return in.readNBytes(Bounds.SIZE + 1);
    }
  }

  /** A resource whose content has been read. */
  private static final class Content extends AbstractResource {

    private final Resource resource;
    private final byte[] bytes;

    Content(Resource resource, byte[] bytes) {
      this.resource = resource;
      this.bytes = bytes;
    }

    @Override
    public String getDescription() {
      return resource.getDescription();
    }

    @Override
    public @Nullable String getFilename() {
      return resource.getFilename();
    }

    @Override
    public InputStream getInputStream() {
      return new ByteArrayInputStream(bytes);
    }
  }
}
