package io.penstock.core.pubsub;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class PublicationsTest {

  private final Publications publications = new Publications();
  private final List<String> told = new ArrayList<>();

  private void afterwards(String text) {
    publications.afterwards(() -> told.add(text));
  }

  @Test
  void nothingWaitsWithoutPublications() {
    afterwards("a");
    assertThat(told).containsExactly("a");

    publications.end(publications.begin());
    afterwards("b");
    assertThat(told).containsExactly("a", "b");
  }

  @Test
  void anActionWaitsForAllThatBeganBefore() {
    int first = publications.begin();
    int second = publications.begin();
    afterwards("a");
    int third = publications.begin();
    publications.end(second);
    assertThat(told).isEmpty();

    publications.end(first);
    assertThat(told).containsExactly("a");

    afterwards("b");
    int fourth = publications.begin();
    publications.end(fourth);
    assertThat(told).containsExactly("a");
    publications.end(third);
    assertThat(told).containsExactly("a", "b");
  }

  /** A node may never be without one. */
  @Test
  void actionsRunAlthoughThereIsAlwaysAPublication() {
    int last = publications.begin();
    for (int i = 0; i < 10; i++) {
      afterwards("" + i);
      int next = publications.begin();
      publications.end(last);
      last = next;
    }
    assertThat(told).hasSizeGreaterThanOrEqualTo(8);

    publications.end(last);
    assertThat(told).containsExactlyInAnyOrder("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
  }
}
