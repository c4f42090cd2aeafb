package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReadGateTest {

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ReadGate gate = new ReadGate(tasks::add);
  private final List<String> resumed = new ArrayList<>();

  private void endTurn() {
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
  }

  private void await(String name) {
    gate.whenOpen(() -> resumed.add(name));
  }

  @Test
  void itStaysOpenBelowTheMaximumPerTurn() {
    gate.onRead(ReadGate.MAX_PER_TURN - 1);

    assertThat(gate.isOpen()).isTrue();
    assertThat(tasks).isEmpty();
  }

  @Test
  void allWaitWhileItIsShut() {
    gate.shut();
    await("first");
    await("second");
    endTurn();
    assertThat(gate.isOpen()).isFalse();
    assertThat(resumed).isEmpty();

    gate.open();

    assertThat(gate.isOpen()).isTrue();
    assertThat(resumed).containsExactly("first", "second");
    gate.open();
    assertThat(resumed).as("each once").hasSize(2);
  }

  @Test
  void afterTheMaximumReadingWaitsForTheNextTurn() {
    gate.onRead(ReadGate.MAX_PER_TURN - 1);
    gate.onRead(1);
    gate.onRead(1);
    assertThat(gate.isOpen()).isFalse();
    assertThat(tasks).hasSize(1);
    await("one");

    endTurn();

    assertThat(gate.isOpen()).isTrue();
    assertThat(resumed).containsExactly("one");
    gate.onRead(ReadGate.MAX_PER_TURN - 1);
    assertThat(gate.isOpen()).isTrue();
  }

  @Test
  void theNextTurnReadsNothingWhileItIsShut() {
    gate.onRead(ReadGate.MAX_PER_TURN);
    gate.shut();
    await("one");
    endTurn();
    assertThat(resumed).isEmpty();

    gate.open();

    assertThat(resumed).containsExactly("one");
  }

  @Test
  void openingItDoesNotResumeATurnWithTheMaximum() {
    gate.shut();
    gate.onRead(ReadGate.MAX_PER_TURN);
    await("one");

    gate.open();

    assertThat(resumed).isEmpty();
    endTurn();
    assertThat(resumed).containsExactly("one");
  }

  @Test
  void aResumedChannelMayHaveToWaitAgain() {
    gate.shut();
    gate.whenOpen(() -> {
      gate.shut();
      await("again");
    });
    await("other");

    gate.open();
    assertThat(resumed).containsExactly("other");
    gate.open();

    assertThat(resumed).containsExactly("other", "again");
  }
}
