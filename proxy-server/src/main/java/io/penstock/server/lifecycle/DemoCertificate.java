package io.penstock.server.lifecycle;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A key and a certificate for {@code localhost}, signed by itself, as PEM files in a temporary
 * folder. The JDK's {@code keytool} makes them: no library that Penstock has can sign a
 * certificate. Closing it deletes the files.
 */
final class DemoCertificate implements AutoCloseable {

  private static final String ALIAS = "demo";
  private static final String PASSWORD = "for a minute"; // of a file that is deleted at once
  private static final int DAYS = 30;
  private static final int PATIENCE_SECONDS = 60;

  private final Path folder;
  private final Path certificate;
  private final Path key;

  private DemoCertificate(Path folder) {
    this.folder = folder;
    this.certificate = folder.resolve("demo.crt");
    this.key = folder.resolve("demo.key");
  }

  /**
   * Makes a new one. Takes about a second.
   *
   * @throws IOException if there is no keytool, or it fails; the message says why
   */
  static DemoCertificate create() throws IOException {
    var made = new DemoCertificate(Files.createTempDirectory("penstock-demo-"));
    made.folder.toFile().deleteOnExit(); // after the files in it, which are registered later
    made.certificate.toFile().deleteOnExit();
    made.key.toFile().deleteOnExit();
    Path store = made.folder.resolve("demo.p12");
    try {
      run(keytool(store));
      made.export(store);
      return made;
    } catch (GeneralSecurityException e) {
      made.close();
      throw new IOException("the key cannot be read: " + e.getMessage(), e);
    } catch (IOException e) {
      made.close();
      throw e;
    } finally {
      Files.deleteIfExists(store);
    }
  }

  private static List<String> keytool(Path store) {
    return List.of(
        Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
        "-genkeypair",
        "-alias",
        ALIAS,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-dname",
        "CN=localhost, OU=Penstock demo",
        "-ext",
        "SAN=dns:localhost,ip:127.0.0.1,ip:::1",
        "-validity",
        Integer.toString(DAYS),
        "-storetype",
        "PKCS12",
        "-keystore",
        store.toString(),
        "-storepass",
        PASSWORD);
  }

  private static void run(List<String> command) throws IOException {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try (InputStream output = process.getInputStream()) {
      process.getOutputStream().close();
      String text = new String(output.readAllBytes(), StandardCharsets.UTF_8).strip();
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
        throw new IOException("keytool failed: " + text);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    } finally {
      process.destroyForcibly();
    }
  }

  private void export(Path store) throws IOException, GeneralSecurityException {
    KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
    write(certificate, "CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
    write(key, "PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
  }

  private static void write(Path file, String what, byte[] der) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    Files.writeString(
        file, "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(what, text));
  }

  /** Returns the file of the certificate, which is its own authority. */
  Path certificate() {
    return certificate;
  }

  /** Returns the file of the private key. */
  Path key() {
    return key;
  }

  @Override
  public String toString() {
    return "the certificate is " + certificate;
  }

  @Override
  public void close() {
    for (Path each : List.of(certificate, key, folder)) {
      each.toFile().delete();
    }
  }
}
