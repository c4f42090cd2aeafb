package io.penstock.core.command;

import java.util.Comparator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** A server's version, as {@code redis_version} in {@code INFO}. Immutable. */
public record ServerVersion(int major, int minor, int patch) implements Comparable<ServerVersion> {

  private static final Pattern FORM =
      Pattern.compile("(\\d{1,4})\\.(\\d{1,4})(?:\\.(\\d{1,4}))?.*");
  private static final Comparator<ServerVersion> ORDER =
      Comparator.comparingInt(ServerVersion::major)
          .thenComparingInt(ServerVersion::minor)
          .thenComparingInt(ServerVersion::patch);

  /** Returns the version at the beginning of {@code text}, or null if there is none. */
  public static @Nullable ServerVersion parse(String text) {
    Matcher parts = FORM.matcher(text);
    if (!parts.matches()) {
      return null;
    }
    String patch = parts.group(3);
    return new ServerVersion(
        Integer.parseInt(parts.group(1)),
        Integer.parseInt(parts.group(2)),
        patch == null ? 0 : Integer.parseInt(patch));
  }

  @Override
  public int compareTo(ServerVersion other) {
    return ORDER.compare(this, other);
  }

  /** Returns the version as servers write it: {@code 7.0.15}. */
  @Override
  public String toString() {
    return major + "." + minor + "." + patch;
  }
}
