package io.penstock.core.shadow;

import java.time.Duration;
import java.util.List;

/**
 * How reads go to a shadow. Immutable.
 *
 * @param share of the reads, in hundredths of a percent: 1 to {@link #ALL}
 * @param label what log lines about it begin with
 * @param pauses before replies that differ are read again, one for each time
 */
public record ShadowSettings(int share, String label, List<Duration> pauses) {

  /** The share of all reads. */
  public static final int ALL = 10_000;

  private static final List<Duration> PAUSES =
      List.of(Duration.ofMillis(100), Duration.ofMillis(400), Duration.ofMillis(1500));

  public ShadowSettings {
    pauses = List.copyOf(pauses);
  }

  /** Returns settings with pauses of two seconds altogether. */
  public static ShadowSettings of(int share, String label) {
    return new ShadowSettings(share, label, PAUSES);
  }
}
