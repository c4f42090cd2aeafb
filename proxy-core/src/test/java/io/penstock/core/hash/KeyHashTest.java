package io.penstock.core.hash;

import static io.penstock.core.hash.KeyHash.ATOL;
import static io.penstock.core.hash.KeyHash.CRC16;
import static io.penstock.core.hash.KeyHash.CRC16_SHORT;
import static io.penstock.core.hash.KeyHash.CRC32;
import static io.penstock.core.hash.KeyHash.CRC32A;
import static io.penstock.core.hash.KeyHash.FNV1A_32;
import static io.penstock.core.hash.KeyHash.FNV1A_64;
import static io.penstock.core.hash.KeyHash.FNV1A_64_UNSIGNED;
import static io.penstock.core.hash.KeyHash.FNV1_32;
import static io.penstock.core.hash.KeyHash.FNV1_64;
import static io.penstock.core.hash.KeyHash.HSIEH;
import static io.penstock.core.hash.KeyHash.JENKINS;
import static io.penstock.core.hash.KeyHash.MD5;
import static io.penstock.core.hash.KeyHash.MURMUR;
import static io.penstock.core.hash.KeyHash.ONE_AT_A_TIME;
import static io.penstock.core.hash.KeyHash.POLYNOMIAL_31;
import static io.penstock.core.hash.KeyHash.POLYNOMIAL_33;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Map;
import java.util.Random;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Vectors come from the proxies' own functions and from running proxies. */
class KeyHashTest {

  private static final String[] KEYS = {
    "apple", "a", "foo", "user:1000", "été", "0123456789abcdef"
  };

  @Test
  void twelveHashesAreTwemproxys() {
    Map<KeyHash, long[]> expected =
        Map.ofEntries(
            Map.entry(
                ONE_AT_A_TIME,
                longs(2297466611L, 3392050242L, 596015325, 3043211087L, 2144029493, 4028760775L)),
            Map.entry(
                MD5,
                longs(3195025439L, 3111502092L, 3675831724L, 781738503, 510308318, 2377069120L)),
            Map.entry(
                CRC16, longs(3662830516L, 31879, 205303702, 3781445233L, 3861292903L, 3596871845L)),
            Map.entry(CRC32, longs(10542, 26807, 3187, 8052, 17617, 26820)),
            Map.entry(
                CRC32A,
                longs(2838417488L, 3904355907L, 2356372769L, 2675185635L, 1154575572, 1757737011)),
            Map.entry(
                FNV1_64,
                longs(473199127, 2248259518L, 1805727027, 3550362913L, 3995086359L, 998436033)),
            Map.entry(
                FNV1A_64,
                longs(1488911807, 2248273036L, 4275688823L, 2927313545L, 3933641815L, 3853346685L)),
            Map.entry(
                FNV1_32,
                longs(67176023, 84696446, 1083137555, 2796551329L, 3199958167L, 2652598081L)),
            Map.entry(
                FNV1A_32,
                longs(280767167, 3826002220L, 2851307223L, 1350311305, 200187927, 2277258045L)),
            Map.entry(
                HSIEH,
                longs(3738850110L, 2472816263L, 1993659431, 3723237737L, 3432339831L, 3097489547L)),
            Map.entry(
                MURMUR,
                longs(4142305122L, 1262581116, 3303027599L, 2384768711L, 3664841419L, 43138349)),
            Map.entry(
                JENKINS,
                longs(1442444624, 3768813200L, 2583187353L, 76303748, 2303093779L, 3760384329L)));

    expected.forEach((hash, hashes) ->
        assertThat(Arrays.stream(KEYS).mapToLong(key -> hash.of(key.getBytes(UTF_8))))
            .as(hash.name())
            .containsExactly(box(hashes)));
  }

  @ParameterizedTest
  @CsvSource({
    "CRC16, 3227819096",
    "CRC32, 9860",
    "CRC32A, 2793719750",
    "MD5, 610147960",
    "FNV1A_64, 2336436402",
    "FNV1_64, 1576209164",
    "FNV1A_32, 4185952242",
    "FNV1_32, 1737638188",
    "HSIEH, 2264676836",
    "MURMUR, 1957635836",
    "ONE_AT_A_TIME, 2451084222"
  })
  void overlordsOwnTestVectorsHold(KeyHash hash, long expected) {
    assertThat(hash.of("0123456789".getBytes(UTF_8))).isEqualTo(expected);
  }

  @Test
  void overlordHashesBytesWithoutSign() {
    assertThat(FNV1A_64_UNSIGNED.of("été".getBytes(UTF_8))).isEqualTo(2293569623L);
    assertThat(FNV1A_64_UNSIGNED.of(new byte[0])).isEqualTo(2216829733L);
  }

  @ParameterizedTest
  @CsvSource({
    "foo, 101574, 44950",
    "user:1000, 303304366, 18033",
    "{user1000}.following, 1511821595, 0",
    "café:7, 537878987, 742",
    "{}x, 122198, 43363",
    "a, 97, 31879",
    "order:20240131:00042, 1799372863, 45982",
    "polygenelubricants, -2147483648, 230"
  })
  void camelliasHashesAreExact(String key, long standard, long crc16) {
    assertThat(POLYNOMIAL_31.of(key.getBytes(UTF_8))).isEqualTo(standard);
    if (!key.startsWith("{user")) { // the sheet has the sum of the tag there
      assertThat(CRC16_SHORT.of(key.getBytes(UTF_8))).isEqualTo(crc16);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "apple, 119184914",
    "a, 97",
    "foo, 114852",
    "user:1000, 3410859194",
    "{user1}:x, 2047790138",
    "{}x, 138192",
    "key0, 3959289",
    "été, 237460876"
  })
  void rmuxsHashIsExact(String key, long expected) {
    assertThat(POLYNOMIAL_33.of(key.getBytes(UTF_8))).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "1000:name, 1000",
    "+17, 17",
    "-1, -1",
    "-5x, -5",
    "user:7, 0",
    "42, 42",
    "-, 0",
    "+-1, 0",
    "18446744073709551617, 1",
    "'', 0"
  })
  void predixysAtolReadsLeadingDigits(String key, long expected) {
    assertThat(ATOL.of(key.getBytes(UTF_8))).isEqualTo(expected);
  }

  /** Each implementation reads several bytes at a time, so every length has its own path. */
  @ParameterizedTest
  @EnumSource
  void anyPlaceInAnyBufferGivesTheSame(KeyHash hash) {
    byte[] bytes = new byte[700];
    new Random(29).nextBytes(bytes);
    for (int length = 0; length < 100; length++) {
      byte[] key = Arrays.copyOfRange(bytes, 3, 3 + length);
      ByteBuf composite =
          Unpooled.wrappedBuffer(
              Unpooled.wrappedBuffer(bytes, 0, 3 + length / 2),
              Unpooled.directBuffer().writeBytes(bytes, 3 + length / 2, 200));

      assertThat(hash.of(composite, 3, length)).isEqualTo(hash.of(key));

      composite.release();
    }
  }

  @Test
  void crc32OfAnyLengthIsThatOfTheJdk() {
    byte[] bytes = new byte[1000];
    new Random(29).nextBytes(bytes);
    for (int length = 0; length < bytes.length; length++) {
      CRC32 reference = new CRC32();
      reference.update(bytes, 0, length);

      assertThat(CRC32A.of(Arrays.copyOf(bytes, length))).isEqualTo(reference.getValue());
    }
  }

  private static long[] longs(long... values) {
    return values;
  }

  private static Long[] box(long[] values) {
    return Arrays.stream(values).boxed().toArray(Long[]::new);
  }
}
