package io.penstock.server.tls;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.io.ApplicationResourceLoader;
import org.springframework.core.io.Resource;

/** The files that a bundle is read from. */
final class BundleFiles {

  private BundleFiles() {}

  /** Returns the files of one of the two; content that is in the configuration has none. */
  static Set<Path> of(@Nullable PemSslBundleProperties pem, @Nullable JksSslBundleProperties jks) {
    Set<Path> files = new TreeSet<>();
    if (pem != null) {
      Stream.of(pem.getKeystore(), pem.getTruststore())
          .flatMap(store -> Stream.of(store.getCertificate(), store.getPrivateKey()))
          .forEach(location -> add(files, location));
    } else if (jks != null) {
      add(files, jks.getKeystore().getLocation());
      add(files, jks.getTruststore().getLocation());
    }
    return files;
  }

  private static void add(Set<Path> files, @Nullable String location) {
    Path file = file(location);
    if (file != null) {
      files.add(file);
    }
  }

  /** Returns the file at a location; null if it is content, or no file. */
  static @Nullable Path file(@Nullable String location) {
    if (location == null
        || location.contains("-----BEGIN")
        || location.startsWith("classpath:")
        || location.startsWith("base64:")) {
      return null;
    }
    try {
      Resource resource = ApplicationResourceLoader.get().getResource(location);
      return resource.getFile().toPath().toAbsolutePath();
    } catch (IOException | RuntimeException _) {
      return null; // reading the bundle has reported what is wrong with it, if anything
    }
  }
}
