package io.penstock.server.secret;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class SecretFileTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private String file(byte[] content) throws IOException {
    return Files.write(folder.resolve("secret"), content).toString();
  }

  private String file(String content) throws IOException {
    return file(content.getBytes(UTF_8));
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3cret", "s3cret\n", "s3cret\r\n", "s3cret\nanother line\n"})
  void isTheFirstLine(String content) throws Exception {
    assertThat(SecretFile.read(file(content))).isEqualTo("s3cret");
  }

  @Test
  void keepsSpacesAndOtherCharacters() throws Exception {
    assertThat(SecretFile.read(file(" pä$$ wörd% \n"))).isEqualTo(" pä$$ wörd% ");
  }

  @Test
  void mayHaveTheLengthThatRedisAccepts() throws Exception {
    String longest = "x".repeat(SecretFile.MAX_LENGTH);

    assertThat(SecretFile.read(file(longest + "\n"))).isEqualTo(longest);
    rejected(file(longest + "x"), "its first line is longer than 16384 bytes");
  }

  @Test
  void saysWhyAFileCannotBeUsed() throws IOException {
    rejected(folder.resolve("none").toString(), "there is no such file");
    rejected(folder.toString(), "it is a directory");
    rejected("/dev/null", "it is no regular file, and Penstock reads it more than once");
    rejected("a\0b", "it is no path");
    rejected(file(""), "its first line is empty");
    rejected(file("\ns3cret"), "its first line is empty");
    rejected(file("pä".getBytes(ISO_8859_1)), "its first line is not UTF-8");
  }

  private static void rejected(String file, String reason) {
    assertThatExceptionOfType(SecretFileException.class)
        .isThrownBy(() -> SecretFile.read(file))
        .satisfies(e -> assertThat(e.reason()).isEqualTo(reason))
        .satisfies(e -> assertThat(e.fix()).isNotEmpty());
  }

  @Test
  void warnsOnceIfEveryUserCanReadIt(CapturedOutput output) throws Exception {
    String file = file("s3cret");
    Files.setPosixFilePermissions(Path.of(file), PosixFilePermissions.fromString("rw-r-----"));
    SecretFile.read(file);
    assertThat(output).doesNotContain("Every user");
    Files.setPosixFilePermissions(Path.of(file), PosixFilePermissions.fromString("rw-r--r--"));

    SecretFile.read(file);
    SecretFile.read(file);

    assertThat(output.getOut().lines())
        .filteredOn(line -> line.contains("Every user of this machine can read the secret in"))
        .hasSize(1)
        .allMatch(line -> line.contains(file) && !line.contains("s3cret"));
  }
}
