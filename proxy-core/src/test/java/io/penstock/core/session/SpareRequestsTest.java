package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpareRequestsTest {

  private final SpareRequests spare = new SpareRequests();

  private List<Request> take(int count) {
    List<Request> taken = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      taken.add(spare.take());
    }
    return taken;
  }

  private void give(List<Request> back) {
    back.forEach(spare::give);
  }

  @Test
  void whatCameBackIsUsedAgain() {
    List<Request> first = take(3);
    give(first);
    assertThat(take(3)).containsExactlyInAnyOrderElementsOf(first);
  }

  @Test
  void whatALoadNeedsStaysAsLongAsItLasts() {
    give(take(10_000));
    for (int look = 0; look < 20; look++) {
      List<Request> busy = take(10_000);
      assertThat(spare.size()).isZero();
      give(busy);
      spare.look();
    }
    assertThat(spare.size()).isEqualTo(10_000);
  }

  @Test
  void whatNobodyNeedsGoesBitByBitAndSomeStay() {
    give(take(10_000));
    spare.look();
    assertThat(spare.size()).as("it was needed until now").isEqualTo(10_000);
    spare.look();
    assertThat(spare.size()).isEqualTo(5_000);
    for (int look = 0; look < 20; look++) {
      spare.look();
    }
    assertThat(spare.size()).isEqualTo(SpareRequests.KEPT);
  }

  @Test
  void thereIsAnEndToIt() {
    give(take(SpareRequests.MOST + 10));
    assertThat(spare.size()).isEqualTo(SpareRequests.MOST);
  }
}
