package io.penstock.core.layout;

import static io.penstock.core.layout.Distribution.CAMELLIA;
import static io.penstock.core.layout.Distribution.CODIS;
import static io.penstock.core.layout.Distribution.DYNOMITE;
import static io.penstock.core.layout.Distribution.KETAMA;
import static io.penstock.core.layout.Distribution.MODULA;
import static io.penstock.core.layout.Distribution.OVERLORD;
import static io.penstock.core.layout.Distribution.PREDIXY;
import static io.penstock.core.layout.Distribution.RMUX;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each message names the key, the reason and the fix. */
class LayoutCheckTest {

  private static final ShardServer A = new ShardServer("a", "10.0.0.1:6379", 1);
  private static final ShardServer B = new ShardServer("b", "10.0.0.2:6379", 1);

  @Test
  void serversAreNeeded() {
    assertThat(fault(servers(KETAMA)))
        .isEqualTo("servers: there is no server; write at least one URL");
  }

  @Test
  void namesAreUnique() {
    assertThat(fault(servers(KETAMA, A, B, new ShardServer(null, "a", 1))))
        .isEqualTo(
            "servers[2]: servers[0] is named a too; give one of them another name, with ?name=");
  }

  @Test
  void weightsAreAtLeastOne() {
    assertThat(fault(servers(MODULA, A, new ShardServer("c", "10.0.0.3:6379", 0))))
        .isEqualTo("servers[1]: weight 0 is less than 1; write 1 or more");
  }

  @ParameterizedTest
  @EnumSource(names = {"PREDIXY", "RMUX", "DYNOMITE"})
  void weightsWithoutEffectAreRejected(Distribution distribution) {
    LayoutSettings settings =
        servers(distribution, A, new ShardServer("c", "10.0.0.3:6379", 2))
            .withHash(hash(distribution));

    assertThat(fault(settings))
        .isEqualTo("servers[1]: " + distribution.text() + " has no weights; remove weight=2");
  }

  @Test
  void hashesAreThoseOfTheDistribution() {
    assertThat(fault(servers(KETAMA, A, B).withHash("sha")))
        .startsWith("hash: ketama has no hash sha; write one of one_at_a_time, md5, crc16, ");
    assertThat(fault(servers(OVERLORD, A, B).withHash("jenkins")))
        .startsWith("hash: overlord has no hash jenkins; write one of fnv1a_64, ");
    assertThat(fault(servers(PREDIXY, A, B)))
        .isEqualTo("hash: predixy has no default; write one of crc16, atol");
    assertThat(fault(servers(RMUX, A, B).withHash("crc16")))
        .isEqualTo("hash: rmux has a hash of its own; remove the key");
  }

  @Test
  void predixyNeedsNoHashForOneGroup() {
    assertThat(ShardLayout.of(servers(PREDIXY, A)).shardOf(new byte[] {'x'})).isZero();
  }

  @Test
  void hashTagsHaveTwoAsciiCharacters() {
    assertThat(fault(servers(KETAMA, A, B).withHashTag("{")))
        .isEqualTo("hash-tag: it does not have two characters; write two, such as \"{}\"");
    assertThat(fault(servers(KETAMA, A, B).withHashTag("é}")))
        .isEqualTo("hash-tag: a character is not ASCII; write two ASCII characters");
    assertThat(fault(slots(CODIS, SlotShare.range(0, 1023, "g")).withHashTag("{}")))
        .isEqualTo("hash-tag: codis has a rule of its own; remove the key");
  }

  @Test
  void overlordsHashTagOfAnotherLengthIsNone() {
    ShardLayout layout = ShardLayout.of(servers(OVERLORD, A, B).withHashTag("none"));

    assertThat(layout.partitions()).isEqualTo(2);
  }

  @Test
  void ketamasNamesHaveALimit() {
    String name = "x".repeat(83);

    assertThat(fault(servers(KETAMA, A, new ShardServer(name, "10.0.0.3:6379", 1))))
        .isEqualTo(
            "servers[1]: its name has 83 bytes, and ketama has room for 82;"
                + " give it a shorter name, with ?name=");
  }

  @Test
  void rmuxHasALimit() {
    ShardServer[] servers =
        IntStream.range(0, 102)
            .mapToObj(i -> new ShardServer(null, "10.0.0." + i + ":6379", 1))
            .toArray(ShardServer[]::new);

    assertThat(fault(servers(RMUX, servers)))
        .isEqualTo(
            "servers: rmux has at most 101 servers; write fewer, or use another distribution");
  }

  @Test
  void dynomiteNeedsTokens() {
    assertThat(fault(servers(DYNOMITE, A)))
        .isEqualTo("servers[0]: it has no token; write it, with ?token=");
    assertThat(fault(servers(DYNOMITE, tokens("a", 7L), tokens("b", 7L))))
        .startsWith("servers[1]: another server has token 7 too; ");
    assertThat(fault(servers(DYNOMITE, tokens("a", 4294967296L))))
        .startsWith("servers[0]: token 4294967296 is not a number from 0 to 4294967295; ");
    assertThat(fault(servers(KETAMA, tokens("a", 7L))))
        .isEqualTo("servers[0]: ketama has no tokens; remove token=");
  }

  @Test
  void slotsBelongToCodisAndCamellia() {
    assertThat(fault(servers(CODIS, A)))
        .startsWith("slots: codis needs to know which slots belong to which shard; write slots");
    assertThat(fault(slots(KETAMA, SlotShare.range(0, 1023, "g"))))
        .startsWith("slots: ketama computes the places of keys from its servers; ");
  }

  @Test
  void everySlotBelongsToOneShard() {
    assertThat(fault(slots(CODIS, SlotShare.range(0, 511, "g"), SlotShare.range(513, 1023, "h"))))
        .isEqualTo("slots: slot 512 belongs to no shard; add what is missing to a range or list");
    assertThat(fault(slots(CODIS, SlotShare.range(0, 511, "g"))))
        .startsWith("slots: slots 512-1023 belong to no shard; ");
    assertThat(fault(slots(CODIS, SlotShare.range(0, 600, "g"), SlotShare.range(600, 1023, "h"))))
        .isEqualTo("slots[1]: slot 600 belongs to slots[0] already; write each slot once");
    assertThat(fault(slots(CODIS, SlotShare.range(0, 1024, "g"))))
        .isEqualTo("slots[0]: there is no slot 1024; write 0 to 1023");
  }

  @Test
  void bucketsAreNumberedFromZero() {
    assertThat(fault(slots(CAMELLIA, new SlotShare(List.of(1, 2), "g"))))
        .startsWith("slots: bucket 0 belongs to no shard; ");
    assertThat(fault(slots(CAMELLIA, new SlotShare(List.of(0, 2_000_000_000), "g"))))
        .startsWith("slots: buckets 1-1999999999 belong to no shard; ");
    assertThat(fault(slots(CAMELLIA, new SlotShare(List.of(-1), "g"))))
        .isEqualTo("slots[0]: there is no bucket -1; write 0 or more");
    assertThat(fault(slots(CAMELLIA, new SlotShare(List.of(), "g"))))
        .startsWith("slots: bucket 0 belongs to no shard; ");
  }

  @Test
  void rangesDoNotEndBeforeTheyBegin() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> SlotShare.range(5, 4, "g"))
        .withMessage("5-4 ends before it begins");
  }

  private static @Nullable String hash(Distribution distribution) {
    return distribution == PREDIXY ? "crc16" : null;
  }

  private static ShardServer tokens(String name, Long... tokens) {
    return new ShardServer(name, "10.0.0.9:6379", 1, List.of(tokens));
  }

  private static LayoutSettings servers(Distribution distribution, ShardServer... servers) {
    return LayoutSettings.ofServers(distribution, Arrays.asList(servers));
  }

  private static LayoutSettings slots(Distribution distribution, SlotShare... shares) {
    return LayoutSettings.ofSlots(distribution, Arrays.asList(shares));
  }

  private static String fault(LayoutSettings settings) {
    try {
      ShardLayout.of(settings);
      return "";
    } catch (InvalidLayoutException e) {
      return e.key() + ": " + e.reason() + "; " + e.fix();
    }
  }
}
