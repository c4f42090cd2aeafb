package io.penstock.server.management;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.penstock.core.observe.ThrottledLog;
import io.penstock.server.metrics.Metric;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the connections and requests that the management port rejects, as {@code
 * penstock_management_requests_rejected_total{reason}}, and logs each reason at a limited rate.
 * Thread-safe.
 */
final class Rejections implements MeterBinder {

  private static final Logger log = LoggerFactory.getLogger(Rejections.class);

  private record Kind(LongAdder count, ThrottledLog logger) {}

  private final Map<Rejection, Kind> kinds = new EnumMap<>(Rejection.class);

  Rejections() {
    for (Rejection reason : Rejection.values()) {
      kinds.put(reason, new Kind(new LongAdder(), new ThrottledLog()));
    }
  }

  /**
   * Counts a rejection and logs it if a line is due.
   *
   * @param address the address of the client
   */
  void record(Rejection reason, String address) {
    Kind kind = kinds.get(reason);
    if (kind != null) {
      kind.count().increment();
      kind.logger()
          .log(times ->
              log.info(
                  "The management port did not serve {}: {}{}",
                  address,
                  reason.text(),
                  times == 1 ? "" : " (and " + (times - 1) + " more since the last such line)"));
    }
  }

  long count(Rejection reason) {
    Kind kind = kinds.get(reason);
    return kind == null ? 0 : kind.count().sum();
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    kinds.forEach((reason, kind) ->
        FunctionCounter.builder(
                Metric.MANAGEMENT_REQUESTS_REJECTED.meterName(),
                kind.count(),
                LongAdder::doubleValue)
            .description(Metric.MANAGEMENT_REQUESTS_REJECTED.help())
            .tag("reason", reason.name().toLowerCase(Locale.ROOT))
            .register(registry));
  }
}
