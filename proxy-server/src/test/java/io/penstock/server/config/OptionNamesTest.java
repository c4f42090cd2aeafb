package io.penstock.server.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class OptionNamesTest {

  private static final String METADATA = "META-INF/spring-configuration-metadata.json";
  private static final Pattern NAME = Pattern.compile("\"name\": \"([a-z]+)[.\"]");

  /** The name of value hints in these files, which are not keys. */
  private static final String ANY_VALUE = "any";

  /** Reads the metadata of every library on the class path, as IDEs do. */
  @Test
  void theKnownPrefixesAreThoseOfSpringBoot() throws IOException {
    Set<String> roots = new TreeSet<>();
    for (URL file : Collections.list(getClass().getClassLoader().getResources(METADATA))) {
      try (InputStream in = file.openStream()) {
        NAME.matcher(new String(in.readAllBytes(), UTF_8))
            .results()
            .map(name -> name.group(1))
            .filter(root -> !root.equals("penstock") && !root.equals(ANY_VALUE))
            .forEach(roots::add);
      }
    }

    assertThat(OptionNames.SPRING).containsExactlyElementsOf(roots);
  }
}
