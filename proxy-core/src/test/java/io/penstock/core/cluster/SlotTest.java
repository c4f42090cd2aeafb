package io.penstock.core.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SlotTest {

  @Test
  void check_value_of_crc16_xmodem() {
    assertThat(naiveCrc("123456789".getBytes(US_ASCII), 0, 9)).isEqualTo(0x31C3);
    assertThat(slot("123456789")).isEqualTo(0x31C3 & 16383);
  }

  // Replies to CLUSTER KEYSLOT of Redis 7.0.15.
  @ParameterizedTest
  @CsvSource({
    "foo,12182",
    "bar,5061",
    "somekey,11058",
    "foo{hash_tag},2515",
    "bar{hash_tag},2515",
    "a-key-that-is-longer-than-two-words,8887",
    "user:{1000}.following.and.more,11326",
  })
  void agrees_with_redis(String key, int slot) {
    assertThat(slot(key)).isEqualTo(slot);
  }

  @ParameterizedTest
  @CsvSource({
    "{a}b,a",
    "a{b}c,b",
    "{a}{b},a",
    "{{x}},{x",
    "foo{{bar}}zap,{bar",
    "foo{bar}{zap},bar",
    "}{a},a",
    "0123456789{tag}0123456789,tag",
    "0123456{tag}0123456789,tag",
    "{a-tag-of-more-than-eight-bytes},a-tag-of-more-than-eight-bytes",
  })
  void only_the_tag_is_hashed(String key, String counts) {
    assertThat(slot(key))
        .isEqualTo(naiveCrc(counts.getBytes(US_ASCII), 0, counts.length()) & 16383);
  }

  @ParameterizedTest
  @CsvSource({
    "{}",
    "a{b",
    "a}b",
    "}{",
    "{}{a}",
    "foo{}{bar}",
    "a-long-key-with-an-open-{brace",
    "{"
  })
  void without_a_tag_the_whole_key_is_hashed(String key) {
    assertThat(slot(key)).isEqualTo(naiveCrc(key.getBytes(US_ASCII), 0, key.length()) & 16383);
  }

  @Test
  void an_empty_key_is_in_slot_0() {
    assertThat(slot("")).isZero();
  }

  @Test
  void random_keys_agree_with_the_bitwise_crc() {
    Random random = new Random(42);
    byte[] alphabet = {'{', '}', 'a', 'b', 0, -1, (byte) 0x80, (byte) 0xFB};
    for (int round = 0; round < 50_000; round++) {
      byte[] key = new byte[random.nextInt(40)];
      random.nextBytes(key);
      if (round % 2 == 0) {
        for (int i = 0; i < key.length; i++) {
          key[i] = alphabet[key[i] & 7];
        }
      }
      assertThat(Slot.of(key)).isEqualTo(naiveSlot(key));
      ByteBuf buffer =
          Unpooled.wrappedBuffer(new byte[] {'{'}, key, new byte[] {'}', '{', 'x', '}'});
      assertThat(Slot.of(buffer, 1, key.length)).isEqualTo(naiveSlot(key));
      assertThat(buffer.readerIndex()).isZero();
      buffer.release();
    }
  }

  private static int slot(String key) {
    byte[] bytes = key.getBytes(US_ASCII);
    ByteBuf buffer = Unpooled.wrappedBuffer(bytes);
    int slot = Slot.of(buffer, 0, bytes.length);
    assertThat(Slot.of(bytes)).isEqualTo(slot);
    buffer.release();
    return slot;
  }

  /** After keyHashSlot() in Redis's cluster.c. */
  private static int naiveSlot(byte[] key) {
    int s = 0;
    while (s < key.length && key[s] != '{') {
      s++;
    }
    if (s == key.length) {
      return naiveCrc(key, 0, key.length) & 16383;
    }
    int e = s + 1;
    while (e < key.length && key[e] != '}') {
      e++;
    }
    if (e == key.length || e == s + 1) {
      return naiveCrc(key, 0, key.length) & 16383;
    }
    return naiveCrc(key, s + 1, e) & 16383;
  }

  private static int naiveCrc(byte[] bytes, int from, int end) {
    int crc = 0;
    for (int i = from; i < end; i++) {
      crc ^= (bytes[i] & 0xFF) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) != 0 ? (crc << 1 ^ 0x1021) & 0xFFFF : crc << 1;
      }
    }
    return crc;
  }
}
