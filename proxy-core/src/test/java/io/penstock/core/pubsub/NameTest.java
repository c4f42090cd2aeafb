package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class NameTest {

  private static Name name(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    return Name.copy(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
  }

  /** "Aa" and "BB" have the same hash, and so have all texts of the same number of them. */
  @Test
  void mapsFindNamesOfTheSameHashByOrder() {
    Set<Name> names = new HashSet<>();
    int pairs = 14;
    for (int bits = 0; bits < 1 << pairs; bits++) {
      var text = new StringBuilder();
      for (int i = 0; i < pairs; i++) {
        text.append((bits >> i & 1) == 0 ? "Aa" : "BB");
      }
      names.add(name(text.toString()));
    }

    assertThat(names).hasSize(1 << pairs).contains(name("Aa".repeat(pairs)));
    assertThat(names.stream().mapToInt(Name::hashCode).distinct().count()).isEqualTo(1);
    assertThat(name("a")).isLessThan(name("b")).isEqualByComparingTo(name("a"));
  }
}
