package io.penstock.bench.harness;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Configuration files of other proxies, from {@code proxy-bench/peers}. */
final class Template {

  private static final Pattern HOLE = Pattern.compile("\\$\\{(\\w+)}");

  private Template() {}

  /** The file of that name with every <code>${key}</code> replaced by its value. */
  static String fill(String name, Map<String, String> values) throws IOException {
    try (InputStream in = Template.class.getResourceAsStream("/peers/" + name)) {
      if (in == null) {
        throw new FileNotFoundException("peers/" + name + " is not on the class path");
      }
      return fillText(new String(in.readAllBytes(), StandardCharsets.UTF_8), values);
    }
  }

  static String fillText(String text, Map<String, String> values) {
    return HOLE.matcher(text)
        .replaceAll(hole -> {
          String value = values.get(hole.group(1));
          if (value == null) {
            throw new IllegalArgumentException("nothing for " + hole.group());
          }
          return Matcher.quoteReplacement(value);
        });
  }
}
