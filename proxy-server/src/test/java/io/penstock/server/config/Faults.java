package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.penstock.server.diagnostics.FailureText;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.core.env.StandardEnvironment;

/** What a user is told about an invalid configuration. */
final class Faults {

  private static final Pattern OF_SPRING_BOOT =
      Pattern.compile(
          "Failed to bind properties under .*: Property: (?<key>\\S+) Value: \"(?<value>.*)\""
              + " Origin: (?<origin>.+) Reason: (?<reason>.+); (?<fix>Update .+)");

  private Faults() {}

  /**
   * Checks what a user is told.
   *
   * @param reason the beginning of it
   */
  static void expect(String key, String reason, ThrowingCallable reading) {
    ConfigurationFault fault = of(reading);
    assertThat(fault.key()).isEqualTo(key);
    assertThat(fault.reason()).startsWith(reason);
  }

  /** Returns Penstock's own message, or that of Spring Boot's failure analysis. */
  static ConfigurationFault of(ThrowingCallable reading) {
    Throwable failure = catchThrowable(reading);
    if (failure instanceof InvalidConfigurationException own) {
      return own.fault();
    }
    assertThat(failure).isInstanceOf(BindException.class);
    String text =
        FailureText.of(failure, new DefaultListableBeanFactory(), new StandardEnvironment());
    Matcher parts = OF_SPRING_BOOT.matcher(text);
    assertThat(parts.matches()).as(text).isTrue();
    return new ConfigurationFault(
        parts.group("key"),
        parts.group("value"),
        parts.group("origin"),
        parts.group("reason"),
        parts.group("fix"));
  }
}
