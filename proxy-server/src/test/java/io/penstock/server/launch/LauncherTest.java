package io.penstock.server.launch;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.server.PenstockApplication;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LauncherTest {

  /** The class file version of Java 8; it grows by one with each Java release. */
  private static final int JAVA_8 = 52;

  @ParameterizedTest
  @ValueSource(strings = {"1.8", "11", "17", "24"})
  void anOlderJavaIsRejectedWithTheVersionNeeded(String specification) {
    assertThat(Launcher.versionError(specification, "17.0.15", "/usr/lib/jvm/java-17"))
        .isEqualTo(
            "Penstock needs Java 25 or newer; this is Java 17.0.15 (/usr/lib/jvm/java-17)."
                + " Start it with a newer java.");
  }

  @ParameterizedTest
  @ValueSource(strings = {"25", "26", "100", "", "later"})
  void anyOtherJavaIsAccepted(String specification) {
    assertThat(Launcher.versionError(specification, "x", "x")).isNull();
  }

  @Test
  void onlyTheLauncherIsCompiledForJava8() throws IOException {
    assertThat(classFileVersion(Launcher.class)).isEqualTo(JAVA_8);
    assertThat(classFileVersion(PenstockApplication.class))
        .isEqualTo(JAVA_8 + Launcher.REQUIRED - 8);
  }

  private static int classFileVersion(Class<?> type) throws IOException {
    String file = "/" + type.getName().replace('.', '/') + ".class";
    try (InputStream in = Objects.requireNonNull(type.getResourceAsStream(file))) {
      DataInputStream data = new DataInputStream(in);
      data.skipBytes(6); // the magic number, the minor version
      return data.readUnsignedShort();
    }
  }
}
