package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadGateTest {

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ReadGate gate = new ReadGate(tasks::add);
  private final List<String> readOn = new ArrayList<>();

  private void endTurn() {
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
  }

  private void await(String who) {
    gate.whenOpen(() -> readOn.add(who));
  }

  @Test
  void aLittleIsReadWithoutEnd() {
    gate.onRead(ReadGate.MOST_AT_ONCE - 1);

    assertThat(gate.isOpen()).isTrue();
    assertThat(tasks).isEmpty();
  }

  @Test
  void whileItIsShutEverybodyWaits() {
    gate.shut();
    await("first");
    await("second");
    endTurn();
    assertThat(gate.isOpen()).isFalse();
    assertThat(readOn).isEmpty();

    gate.open();

    assertThat(gate.isOpen()).isTrue();
    assertThat(readOn).containsExactly("first", "second");
    gate.open();
    assertThat(readOn).as("each once").hasSize(2);
  }

  @Test
  void afterMuchTheRestWaitsForTheNextTurn() {
    gate.onRead(ReadGate.MOST_AT_ONCE - 1);
    gate.onRead(1);
    gate.onRead(1);
    assertThat(gate.isOpen()).isFalse();
    assertThat(tasks).hasSize(1);
    await("one");

    endTurn();

    assertThat(gate.isOpen()).isTrue();
    assertThat(readOn).containsExactly("one");
    gate.onRead(ReadGate.MOST_AT_ONCE - 1);
    assertThat(gate.isOpen()).isTrue();
  }

  @Test
  void theNextTurnReadsNothingWhileItIsShut() {
    gate.onRead(ReadGate.MOST_AT_ONCE);
    gate.shut();
    await("one");
    endTurn();
    assertThat(readOn).isEmpty();

    gate.open();

    assertThat(readOn).containsExactly("one");
  }

  @Test
  void openingItBringsNothingIntoATurnThatHasMuch() {
    gate.shut();
    gate.onRead(ReadGate.MOST_AT_ONCE);
    await("one");

    gate.open();

    assertThat(readOn).isEmpty();
    endTurn();
    assertThat(readOn).containsExactly("one");
  }

  @Test
  void whoIsReadAgainMayHaveToWaitAgain() {
    gate.shut();
    gate.whenOpen(() -> {
      gate.shut();
      await("again");
    });
    await("other");

    gate.open();
    assertThat(readOn).containsExactly("other");
    gate.open();

    assertThat(readOn).containsExactly("other", "again");
  }
}
