package io.penstock.server.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.ssl.JksSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.ssl.pem.PemContent;

/**
 * Finds the file because of which a bundle cannot be used. Spring Boot's failures name a file or
 * what is wrong with it, but not both.
 */
final class BundleFault {

  private final IllegalArgumentException failure;

  private BundleFault(IllegalArgumentException failure) {
    this.failure = failure;
  }

  /**
   * Returns the failure, with the file and what to do about it if one of the files is to blame.
   *
   * @param failure of a bundle with one of these properties
   */
  static IllegalArgumentException explain(
      IllegalArgumentException failure,
      @Nullable PemSslBundleProperties pem,
      @Nullable JksSslBundleProperties jks) {
    var fault = new BundleFault(failure);
    try {
      if (pem != null) {
        fault.check(pem.getKeystore());
        fault.check(pem.getTruststore());
      } else if (jks != null) {
        fault.check(jks.getKeystore().getLocation());
        fault.check(jks.getTruststore().getLocation());
      }
      return failure;
    } catch (UnusableBundleException e) {
      return e;
    }
  }

  private void check(PemSslBundleProperties.Store store) {
    check(
        store.getCertificate(),
        PemContent::getCertificates,
        "certificate",
        "write certificates in PEM to the file");
    check(
        store.getPrivateKey(),
        content -> content.getPrivateKey(store.getPrivateKeyPassword()),
        "private key",
        store.getPrivateKeyPassword() == null
            ? "write a private key in PEM to the file; if it is encrypted, set private-key-password"
            : "write a private key in PEM to the file, or correct private-key-password");
  }

  private void check(
      @Nullable String location, Consumer<PemContent> parse, String part, String fix) {
    Path file = check(location);
    if (file == null) {
      return;
    }
    try {
      parse.accept(PemContent.of(Files.readString(file, StandardCharsets.ISO_8859_1)));
    } catch (IOException | RuntimeException e) {
      throw new UnusableBundleException(
          "%s has no %s in PEM that can be parsed".formatted(file, part), fix, failure);
    }
  }

  /** Returns the file, which can be read; null for content in the configuration. */
  private @Nullable Path check(@Nullable String location) {
    Path file = BundleFiles.file(location);
    if (file == null) {
      return null;
    }
    if (Files.isDirectory(file)) {
      throw new UnusableBundleException(
          file + " is a directory", "write the path of a file in it", failure);
    }
    try (var in = Files.newInputStream(file)) {
      in.read();
    } catch (NoSuchFileException e) {
      throw new UnusableBundleException(
          "there is no file " + file, "create it, or correct the path", failure);
    } catch (IOException e) {
      throw new UnusableBundleException(
          "%s cannot be read (%s)".formatted(file, e.getClass().getSimpleName()),
          "let the user that Penstock runs as read the file",
          failure);
    }
    return file;
  }
}
