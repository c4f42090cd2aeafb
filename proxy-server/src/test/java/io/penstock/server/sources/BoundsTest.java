package io.penstock.server.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.penstock.server.sources.DefaultsTest.Start;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.env.PropertySourceLoader;
import org.springframework.boot.origin.OriginLookup;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.io.FileSystemResource;
import org.springframework.core.io.support.SpringFactoriesLoader;

class BoundsTest {

  @TempDir
  @SuppressWarnings("NullAway.Init")
  private Path folder;

  private Path write(String name, String content) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(Objects.requireNonNull(file.getParent()));
    return Files.writeString(file, content);
  }

  private static ConfigurableEnvironment read(Path file) {
    return Start.of("--spring.config.location=file:" + file).environment();
  }

  private static AbstractThrowableAssert<?, ? extends Throwable> assertRejected(Start start) {
    return assertThatThrownBy(start::environment).isInstanceOf(UnboundedSourceException.class);
  }

  /** Nine to the power of the levels. */
  private static String aliases(int levels) {
    StringBuilder yaml = new StringBuilder("l0: &l0 [x, x, x, x, x, x, x, x, x]\n");
    for (int i = 1; i < levels; i++) {
      String one = "*l" + (i - 1);
      yaml.append(
          "l%d: &l%d [%s]%n"
              .formatted(
                  i, i, String.join(", ", IntStream.range(0, 9).mapToObj(_ -> one).toList())));
    }
    return yaml.toString();
  }

  private static String repeated(String text, int times, String between) {
    return IntStream.range(0, times).mapToObj(_ -> text).collect(Collectors.joining(between));
  }

  /** Every level is a list in a list, and the levels of all aliases add up. */
  private static String deepAliases() {
    StringBuilder yaml = new StringBuilder("l0: &l0 x\n");
    for (int i = 1; i < 1_000; i++) {
      yaml.append("l%d: &l%d [[[[*l%d]]]]%n".formatted(i, i, i - 1));
    }
    return yaml.toString();
  }

  private static String placeholders() {
    StringBuilder yaml = new StringBuilder("penstock.password: ${l9}\nl0: x\n");
    for (int i = 1; i < 10; i++) {
      yaml.append("l%d: %s%n".formatted(i, ("${l" + (i - 1) + "}").repeat(9)));
    }
    return yaml.toString();
  }

  private static String otherNamesOfPlaceholders() {
    return placeholders().replaceAll("(?m)^l(\\d)", "someKey$1").replace("${l", "${some-key");
  }

  private static String chain() {
    return IntStream.range(0, 5_000)
        .mapToObj(i -> "l%d: ${l%d}%n".formatted(i, i + 1))
        .collect(Collectors.joining());
  }

  static Stream<Arguments> tooMuch() {
    String values = " values or more with its aliases replaced; at most 20000 are allowed";
    return Stream.of(
        Arguments.of("a.yml", aliases(7), values),
        Arguments.of("a.yaml", aliases(60), values),
        Arguments.of("a.yml", "a: &a {b: &b [*a]}", "refers to what it is part of"),
        Arguments.of("a.yml", "a: &a [*a]", "line 1 that refers to what it is part of"),
        Arguments.of(
            "a.yml",
            "a: &a {"
                + IntStream.range(0, 300)
                    .mapToObj(i -> "k" + i + ": 1")
                    .collect(Collectors.joining(", "))
                + "}\nb: {<<: ["
                + repeated("*a", 300, ", ")
                + "]}",
            values),
        Arguments.of(
            "a.yml",
            "? " + "k".repeat(500_000) + "\n: [" + repeated("1", 1_000, ",") + "]",
            " characters or more with its aliases replaced; at most 4194304 are allowed"),
        Arguments.of(
            "a.yml", "a: " + "[".repeat(100_000), "has more than 50 levels at line 1; at most 50"),
        Arguments.of("a.yml", deepAliases(), "has more than 50 levels at line 14"),
        Arguments.of("a.yml", repeated("a: 1\n", 101, "---\n"), "has more than 100 documents"),
        Arguments.of("a.properties", repeated("a=1\n", 101, "#---\n"), "has 101 documents"),
        Arguments.of(
            "a.properties",
            IntStream.range(0, 20_001).mapToObj(i -> i + "=\n").collect(Collectors.joining()),
            "has 20001 values; at most 20000 are allowed"),
        Arguments.of(
            "a.yml", "a: " + "x".repeat(1 << 20), "has more than 1048576 bytes; at most 1048576"),
        Arguments.of("a.properties", "a=" + "x".repeat(1 << 20), "has more than 1048576 bytes"),
        Arguments.of("a.xml", "<!--" + "x".repeat(1 << 20) + "-->", "has more than 1048576 bytes"),
        Arguments.of("a.yml", placeholders(), "in the value of penstock.password; at most 500"),
        Arguments.of(
            "a.properties", placeholders().replace(": ", "="), "placeholders that become too much"),
        Arguments.of("a.yml", otherNamesOfPlaceholders(), "placeholders that become too much"),
        Arguments.of("a.yml", chain(), "placeholders that become too much"));
  }

  @ParameterizedTest(name = "{2}")
  @MethodSource("tooMuch")
  void isRejectedInWordsBeforeItIsReplaced(String name, String content, String message)
      throws IOException {
    Path file = write(name, content);

    assertRejected(Start.of("--spring.config.location=file:" + file))
        .hasMessageContaining(file.toString())
        .hasMessageContaining(message);
  }

  @ParameterizedTest
  @CsvSource({
    "application.yml, --spring.config.location=file:%s/",
    "application.yml, --spring.config.additional-location=file:%s/",
    "application.yml, --spring.config.location=optional:file:%s/",
    "below/application.yml, --spring.config.location=file:%s/*/",
    "application-blue.yml, --spring.config.location=file:%s/ --spring.profiles.active=blue",
    "more.yml, --spring.config.import=file:%s/more.yml",
    "more.yml, --spring.config.import=optional:file:%s/more.yml",
    "more, --spring.config.import=file:%s/more[.yml]"
  })
  void everyFileIsChecked(String name, String arguments) throws IOException {
    write("application.yml", "penstock.port: 1");
    Path file = write(name, aliases(9));

    assertRejected(Start.of(arguments.formatted(folder).split(" ")))
        .hasMessageContaining(file.toString());
  }

  @Test
  void aFileThatAnotherImportsIsChecked() throws IOException {
    Path more = write("more.yml", aliases(9));
    Path file = write("a.yml", "spring.config.import: more.yml");

    assertRejected(Start.of("--spring.config.location=file:" + file))
        .hasMessageContaining(more.toString());
  }

  /**
   * Whoever looks for a loader takes the first one; imported environment variables have one too.
   */
  @Test
  void everyFormatHasBounds() {
    List<PropertySourceLoader> loaders =
        SpringFactoriesLoader.loadFactories(
            PropertySourceLoader.class, getClass().getClassLoader());
    Map<String, PropertySourceLoader> first = new LinkedHashMap<>();
    for (PropertySourceLoader loader : loaders) {
      for (String extension : loader.getFileExtensions()) {
        first.putIfAbsent(extension, loader);
      }
    }

    assertThat(first.keySet()).containsExactly("properties", "xml", "yml", "yaml");
    assertThat(first.values()).allMatch(BoundedLoader.class::isInstance);
  }

  @ParameterizedTest
  @CsvSource({"configtree:%s/tree/", "optional:configtree:%s/tree/", "configtree:%s/*/"})
  void foldersOfValuesAreChecked(String location) throws IOException {
    Start start = Start.of("--spring.config.import=" + location.formatted(folder));
    write("tree/penstock/password", "s3cret");
    write("tree/..data/penstock/password", "x".repeat(2 << 20));
    assertThat(start.environment().getProperty("penstock.password")).isEqualTo("s3cret");
    Path large = write("tree/penstock/large", "x".repeat((1 << 20) + 1));

    assertRejected(start)
        .hasMessage(
            "file [%s] has more than 1048576 bytes; at most 1048576 (1 MB) are allowed", large);
    for (int i = 0; i < 5; i++) {
      write("tree/penstock/large" + i, "x".repeat(1 << 20));
    }
    Files.delete(large);
    assertRejected(start)
        .hasMessageContaining("folder [%s] has 5 files".formatted(folder.resolve("tree")));
  }

  /** Entities of XML multiply too; the JDK does not read them in properties. */
  @Test
  void entitiesOfXmlAreNotReplaced() throws IOException {
    StringBuilder xml = new StringBuilder("<!DOCTYPE properties [<!ENTITY l0 \"x\">");
    for (int i = 1; i < 12; i++) {
      xml.append("<!ENTITY l%d \"%s\">".formatted(i, ("&l" + (i - 1) + ";").repeat(9)));
    }
    Path file =
        write("a.xml", xml + "]><properties><entry key=\"penstock.a\">&l11;</entry></properties>");

    assertThatThrownBy(() -> read(file)).isInstanceOf(RuntimeException.class);
  }

  @Test
  void aliasesOfAnOrdinaryFileAreReplaced() throws IOException {
    StringBuilder yaml = new StringBuilder("base: &base {tls: {bundle: a}, password: b}\nall:\n");
    for (int i = 0; i < 2_000; i++) {
      yaml.append(
          "  u%d: {<<: *base, resource: 'redis://h:%d', more: &m%d [1, 2]}%n".formatted(i, i, i));
    }

    ConfigurableEnvironment environment = read(write("a.yml", yaml.toString()));

    assertThat(environment.getProperty("all.u1999.tls.bundle")).isEqualTo("a");
    assertThat(environment.getProperty("all.u1999.resource")).isEqualTo("redis://h:1999");
  }

  @Test
  void depthAndDocumentsUpToTheBoundAreRead() throws IOException {
    String deep = "a: " + "[".repeat(49) + "1" + "]".repeat(49);

    assertThat(
            read(write("a.yml", deep + "\n---\n" + repeated("b: 2\n", 99, "---\n")))
                .getProperty("a" + "[0]".repeat(49)))
        .isEqualTo("1");
  }

  @Test
  void originsArePlacesInTheFile() throws IOException {
    Path file = write("a.yml", "penstock:\n  password: b\n");

    ConfigurableEnvironment environment = read(file);

    assertThat(
            environment.getPropertySources().stream()
                .filter(OriginLookup.class::isInstance)
                .map(source -> OriginLookup.getOrigin(source, "penstock.password"))
                .filter(Objects::nonNull)
                .map(Object::toString))
        .contains("URL [file:%s] - 2:13".formatted(file));
  }

  /** As with Spring Boot's own loaders. */
  @Test
  void propertiesOverrideYamlOfTheSameFolder() throws IOException {
    write("application.yml", "penstock: {port: 1, bind: a}");
    write("application.properties", "penstock.port=2");

    ConfigurableEnvironment environment =
        Start.of("--spring.config.location=file:" + folder + "/").environment();

    assertThat(environment.getProperty("penstock.port")).isEqualTo("2");
    assertThat(environment.getProperty("penstock.bind")).isEqualTo("a");
    assertThat(
            environment.getPropertySources().stream()
                .filter(source -> source.getName().contains(folder.toString())))
        .as("each file is read once")
        .hasSize(2);
  }

  @Test
  void placeholdersOfAnOrdinaryFileAreReplaced() throws IOException {
    Path file =
        write(
            "a.yml",
            "penstock.bind: %s%nh: '${none:x}'%nself: ${self}%n"
                .formatted(repeated("${h}", 200, ",")));

    assertThat(read(file).getProperty("penstock.bind")).isEqualTo(repeated("x", 200, ","));
  }

  @Test
  void aFileThatIsNoYamlIsNamed() throws IOException {
    Path file = write("a.yml", "a: [");
    Path character = write("b.yml", "a: \u0007");

    assertThatThrownBy(() -> read(file))
        .isInstanceOfSatisfying(
            InvalidYamlException.class, e -> assertThat(e.file()).contains(file.toString()));
    assertThatThrownBy(() -> read(character)).isInstanceOf(InvalidYamlException.class);
  }

  @Test
  void theExampleFileIsFarBelowTheBounds() throws IOException {
    var example = new FileSystemResource("../config/application.yml");

    assertThat(new BoundedLoader.OfYaml().load("example", example)).hasSize(1);
    assertThat(example.contentLength()).isLessThan(Bounds.SIZE / 20);
  }
}
