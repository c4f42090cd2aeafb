package io.penstock.server.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.acl.AclUser;
import io.penstock.core.users.UserUsage;
import io.penstock.core.users.Users;
import io.penstock.core.users.UsersSettings;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.GaugeSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UsersCollectorTest {

  private static final String SCOPE = "penstock.users";

  private static Users users(int count) {
    List<AclUser> all =
        IntStream.range(0, count)
            .mapToObj(i -> AclUser.unrestricted("user%03d".formatted(i)))
            .toList();
    return new Users(new UsersSettings(SCOPE, all, null, Map.of()));
  }

  private static UserUsage usage(Users users, String name) {
    return Objects.requireNonNull(users.now().find(name)).usage();
  }

  private static MetricSnapshot snapshot(Users users, Metric metric) {
    return new UsersCollector(() -> List.of(users))
        .collect().stream()
            .filter(each -> each.getMetadata().getName().equals(metric.baseName()))
            .findFirst()
            .orElseThrow();
  }

  private static double counter(Users users, Metric metric, String user) {
    return ((CounterSnapshot) snapshot(users, metric))
        .getDataPoints().stream()
            .filter(point -> user.equals(point.getLabels().get("user")))
            .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
            .sum();
  }

  @Test
  void withoutUsersThereAreNoSeries() {
    assertThat(new UsersCollector(List::of).collect().size()).isZero();
  }

  @Test
  void eachUserHasItsSeries() {
    Users users = users(2);
    UserUsage usage = usage(users, "user001");
    assertThat(usage.connect(0)).isTrue();
    usage.countLogin();
    usage.countFailedLogin();
    usage.countDenial();
    usage.countDelay();
    usage.countRejection(UserUsage.Limit.BYTES_IN_FLIGHT);

    for (Metric metric :
        List.of(
            Metric.USER_LOGINS,
            Metric.USER_LOGIN_FAILURES,
            Metric.USER_DENIALS,
            Metric.USER_DELAYED,
            Metric.USER_REJECTED)) {
      assertThat(counter(users, metric, "user001")).as(metric.name()).isOne();
      assertThat(counter(users, metric, "user000")).as(metric.name()).isZero();
    }
    assertThat(((GaugeSnapshot) snapshot(users, Metric.USER_CLIENTS)).getDataPoints())
        .filteredOn(point -> "user001".equals(point.getLabels().get("user")))
        .singleElement()
        .satisfies(point -> assertThat(point.getValue()).isOne())
        .satisfies(point -> assertThat(point.getLabels().get("users")).isEqualTo(SCOPE));
  }

  @Test
  void aboveAHundredUsersTheOthersAreOneSeries() {
    Users users = users(150);
    usage(users, "user149").countLogin();
    usage(users, "user148").countLogin();

    assertThat(((CounterSnapshot) snapshot(users, Metric.USER_LOGINS)).getDataPoints())
        .hasSize(UsersCollector.MOST + 1);
    assertThat(counter(users, Metric.USER_LOGINS, UsersCollector.OTHERS)).isEqualTo(2);
  }
}
