package io.penstock.server.mapping;

import io.penstock.core.client.User;
import io.penstock.core.users.UserSettings;
import io.penstock.core.users.UserSettings.Prefix;
import io.penstock.core.users.UserSettings.RateLimit;
import io.penstock.server.config.PenstockProperties;
import io.penstock.server.config.PropertiesReader;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Maps what Redis's rules do not say about a user. */
final class UserOptionsMapping {

  private static final int MAX_REQUESTS = 1_000_000_000;
  private static final Pattern RATE = Pattern.compile("(\\d{1,10}) */ *(s|m|h)");
  private static final Map<String, Duration> PERIODS =
      Map.of(
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1));

  private final PropertiesReader reader;

  UserOptionsMapping(PropertiesReader reader) {
    this.reader = reader;
  }

  /**
   * @param name of the user
   * @param key of the section
   */
  UserSettings map(String name, PenstockProperties.UserOptions user, String key) {
    if (user.passThrough() && name.equals(User.DEFAULT.name())) {
      throw reader.invalid(
          key + ".pass-through",
          "clients may be user default without having given a password, which nodes need",
          "remove it, and give these clients a user with a name");
    }
    return new UserSettings(
        rate(user, key),
        user.maxConnections(),
        user.maxBytesInFlight().toBytes(),
        upstream(user, key),
        prefix(user, key),
        user.passThrough());
  }

  private @Nullable RateLimit rate(PenstockProperties.UserOptions user, String key) {
    String text = user.rateLimit();
    boolean waits = user.excess() == PenstockProperties.Excess.WAIT;
    if (text == null) {
      rejectWithout(user.burst() != null, key, "burst", "rate-limit");
      rejectWithout(waits, key, "excess", "rate-limit");
      return null;
    }
    Matcher rate = RATE.matcher(text.strip().toLowerCase(Locale.ROOT));
    long requests = rate.matches() ? Long.parseLong(rate.group(1)) : 0;
    if (requests < 1 || requests > MAX_REQUESTS) {
      throw reader.invalid(
          key + ".rate-limit",
          "it is not a number of requests from 1 to " + MAX_REQUESTS + " in s, m or h",
          "write it like 5000/s, 300/m or 100/h");
    }
    Duration period = Objects.requireNonNull(PERIODS.get(rate.group(2)));
    int inOneSecond = (int) Math.max(1, requests / period.toSeconds());
    return new RateLimit(
        (int) requests, period, Objects.requireNonNullElse(user.burst(), inOneSecond), waits);
  }

  private void rejectWithout(boolean set, String key, String name, String needed) {
    if (set) {
      throw reader.invalid(
          key + "." + name,
          "it has no effect without " + needed,
          "set " + reader.written(key + "." + needed) + " too, or remove it");
    }
  }

  private @Nullable String upstream(PenstockProperties.UserOptions user, String key) {
    if (user.upstream() != null) {
      throw reader.invalid(
          key + ".upstream",
          "users of one listener share its upstream: a user's own upstream is not supported yet",
          "remove it, and give these clients a listener of their own with users and upstream");
    }
    return null;
  }

  private @Nullable Prefix prefix(PenstockProperties.UserOptions user, String key) {
    String text = user.keyPrefix();
    if (text == null) {
      rejectWithout(user.keyPrefixChannels(), key, "key-prefix-channels", "key-prefix");
      rejectWithout(user.keyPrefixScripts(), key, "key-prefix-scripts", "key-prefix");
      rejectWithout(user.keyPrefixDbsize(), key, "key-prefix-dbsize", "key-prefix");
      return null;
    }
    return new Prefix(
        UsersMapping.bytes(text),
        user.keyPrefixChannels(),
        user.keyPrefixScripts(),
        user.keyPrefixDbsize());
  }
}
