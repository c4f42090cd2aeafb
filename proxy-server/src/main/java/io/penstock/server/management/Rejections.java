package io.penstock.server.management;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.core.observe.ThrottledLog;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what the management port refuses, as {@code penstock_management_refused_total{reason}},
 * and logs each kind now and then. Safe from any thread.
 */
final class Rejections implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(Rejections.class);

  private record Kind(LongAdder count, ThrottledLog notice) {}

  private final Map<Rejection, Kind> kinds = new EnumMap<>(Rejection.class);

  Rejections() {
    for (Rejection why : Rejection.values()) {
      kinds.put(why, new Kind(new LongAdder(), new ThrottledLog()));
    }
  }

  /**
   * It happened.
   *
   * @param address of the client
   */
  void tell(Rejection why, String address) {
    Kind kind = kinds.get(why);
    if (kind != null) {
      kind.count().increment();
      kind.notice()
          .log(times ->
              log.info(
                  "The management port refused {} ({}){}",
                  address,
                  why.words(),
                  times == 1 ? "" : " and " + (times - 1) + " more since the last such line"));
    }
  }

  long count(Rejection why) {
    Kind kind = kinds.get(why);
    return kind == null ? 0 : kind.count().sum();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    kinds.forEach((why, kind) ->
        FunctionCounter.builder("penstock.management.refused", kind.count(), LongAdder::doubleValue)
            .description("Connections and requests that the management port did not serve")
            .tag("reason", why.name().toLowerCase(Locale.ROOT))
            .register(registry));
  }
}
