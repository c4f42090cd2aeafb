package io.penstock.server.metrics;

import io.penstock.core.users.KnownUser;
import io.penstock.core.users.UserUsage;
import io.penstock.core.users.UserUsage.Limit;
import io.penstock.core.users.Users;
import io.prometheus.metrics.model.registry.MultiCollector;
import io.prometheus.metrics.model.snapshots.MetricSnapshots;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

/**
 * Exports what users do; nothing if there are none. Of more users than {@value #MOST} of a section
 * of the configuration, the others are one series: their names come from clients, too.
 */
final class UsersCollector implements MultiCollector {

  static final int MOST = 100;

  /** Stands for the users that have no series of their own. No user has this name. */
  static final String OTHERS = "(other users)";

  private final Supplier<List<Users>> users;

  UsersCollector(Supplier<List<Users>> users) {
    this.users = users;
  }

  @Override
  public MetricSnapshots collect() {
    List<Users> all = users.get();
    if (all.isEmpty()) {
      return new MetricSnapshots(List.of());
    }
    Family rejected = Metric.USER_REJECTED.family();
    for (Limit limit : Limit.values()) {
      String name = limit.name().toLowerCase(Locale.ROOT);
      add(rejected, all, usage -> usage.rejections(limit), "limit", name);
    }
    return new MetricSnapshots(
        Stream.of(
                family(Metric.USER_CLIENTS, all, UserUsage::clients),
                family(Metric.USER_BYTES_IN_FLIGHT, all, UserUsage::bytesInFlight),
                family(Metric.USER_LOGINS, all, UserUsage::logins),
                family(Metric.USER_LOGIN_FAILURES, all, UserUsage::failedLogins),
                family(Metric.USER_DENIALS, all, UserUsage::denials),
                rejected,
                family(Metric.USER_DELAYED, all, UserUsage::delays))
            .map(Family::snapshot)
            .toList());
  }

  private static Family family(Metric metric, List<Users> all, ToDoubleFunction<UserUsage> value) {
    Family family = metric.family();
    add(family, all, value);
    return family;
  }

  private static void add(
      Family family, List<Users> all, ToDoubleFunction<UserUsage> value, String... more) {
    for (Users each : all) {
      Collection<KnownUser> known = each.now().all();
      known.stream()
          .limit(MOST)
          .forEach(user ->
              family.add(
                  value.applyAsDouble(user.usage()), labels(each.scope(), user.name(), more)));
      if (known.size() > MOST) {
        double others = known.stream().skip(MOST).map(KnownUser::usage).mapToDouble(value).sum();
        family.add(others, labels(each.scope(), OTHERS, more));
      }
    }
  }

  private static String[] labels(String scope, String user, String... more) {
    return Stream.concat(Stream.of("users", scope, "user", user), Stream.of(more))
        .toArray(String[]::new);
  }
}
