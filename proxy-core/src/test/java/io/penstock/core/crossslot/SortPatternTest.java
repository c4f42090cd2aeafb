package io.penstock.core.crossslot;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.Requests;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Patterns as {@code lookupKeyByPattern} of sort.c reads them; {@code 0} is a zero byte. */
class SortPatternTest {

  private static List<SortPattern> of(String line) {
    return SortPattern.of(Requests.call(line.replace('0', '\0')));
  }

  @ParameterizedTest
  @CsvSource({
    "w_*, w_x, T*",
    "*, x, T*",
    "a*b*c, axb*c, T*",
    "h_*->f, h_x, T*->f",
    "h_*k->f->g, h_xk, T*->f->g",
    "a->*, a->x, T*",
    "t_*->, t_x->, T*",
    "h_*->0f, h_x->0f, T*",
    "h_*0->f, h_x0->f, T*",
  })
  void aPatternNamesAKeyForEachElement(String pattern, String key, String other) {
    SortPattern only = of("SORT k BY " + pattern).getFirst();

    assertThat(only.key("x")).isEqualTo(key.replace('0', '\0'));
    assertThat(only.with("T")).isEqualTo(other);
  }

  @ParameterizedTest
  @CsvSource({"constant", "a0*"})
  void withoutAStarItNamesNoKey(String pattern) {
    assertThat(of("SORT k BY " + pattern)).isEmpty();
    SortPattern get = of("SORT k GET " + pattern).getFirst();
    assertThat(get.constant()).isTrue();
    assertThat(get.with("T")).isEqualTo("T");
  }

  @Test
  void optionsAreReadAsByServers() {
    assertThat(of("SORT k LIMIT by a* DESC store by Get # get g* STORE BY b*"))
        .extracting(SortPattern::argument)
        .containsExactly(11);
    assertThat(of("SORT k STORE get BY w* GET"))
        .extracting(SortPattern::argument)
        .containsExactly(5);
  }
}
