package io.penstock.core.users;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class AclLogTest {

  private final AclLog log = new AclLog();

  private static AclLog.Event event(String object) {
    return new AclLog.Event("key", false, object, "user", "client");
  }

  @Test
  void theNewestEntryIsTheFirst() {
    log.add(event("a"), 1);
    log.add(event("b"), 2);
    assertThat(log.latest(10))
        .extracting(entry -> entry.event().object())
        .containsExactly("b", "a");
    assertThat(log.latest(10)).extracting(AclLog.Entry::id).containsExactly(1L, 0L);
    assertThat(log.latest(1)).hasSize(1);
    assertThat(log.latest(-1)).isEmpty();
  }

  @Test
  void theSameEventIsCountedForAMinute() {
    log.add(event("a"), 0);
    log.add(event("b"), 1);
    log.add(new AclLog.Event("key", false, "a", "user", "other client"), 60_000);
    assertThat(log.latest(10)).hasSize(2);
    AclLog.Entry again = log.latest(10).get(1);
    assertThat(again.count()).isEqualTo(2);
    assertThat(again.created()).isZero();
    assertThat(again.updated()).isEqualTo(60_000);
    assertThat(again.event().client()).isEqualTo("other client");
    log.add(event("a"), 120_001);
    assertThat(log.latest(10)).hasSize(3);
  }

  @Test
  void eventsThatDifferAreNotTheSame() {
    log.add(event("a"), 0);
    log.add(new AclLog.Event("channel", false, "a", "user", "client"), 0);
    log.add(new AclLog.Event("key", true, "a", "user", "client"), 0);
    log.add(new AclLog.Event("key", false, "a", "other", "client"), 0);
    assertThat(log.latest(10)).hasSize(4).allMatch(entry -> entry.count() == 1);
  }

  @Test
  void whatClientsChooseIsCut() {
    String longest = "k".repeat(AclLog.LONGEST_TEXT);
    log.add(new AclLog.Event("auth", false, longest + "x", longest + "y", "client"), 0);

    AclLog.Event kept = log.latest(1).getFirst().event();
    assertThat(kept.object()).isEqualTo(longest);
    assertThat(kept.user()).isEqualTo(longest);
  }

  @Test
  void theLogIsBounded() {
    for (int i = 0; i < 3 * AclLog.MOST; i++) {
      log.add(event("key" + i), i);
    }
    assertThat(log.latest(Long.MAX_VALUE)).hasSize(AclLog.MOST);
    log.clear();
    assertThat(log.latest(10)).isEmpty();
    log.add(event("a"), 0);
    assertThat(log.latest(1).getFirst().id()).isEqualTo(3 * AclLog.MOST);
  }
}
