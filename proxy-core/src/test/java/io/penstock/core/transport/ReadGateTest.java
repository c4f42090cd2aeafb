package io.penstock.core.transport;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadGateTest {

  private static final int LITTLE = 1_000;

  private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
  private final ReadGate gate = new ReadGate(tasks::add);
  private final EmbeddedChannel first = new EmbeddedChannel();
  private final EmbeddedChannel second = new EmbeddedChannel();

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  private static boolean isRead(Channel channel) {
    return channel.config().isAutoRead();
  }

  private void endTurn() {
    while (!tasks.isEmpty()) {
      tasks.poll().run();
    }
  }

  @Test
  void whoBringsALittleIsReadOn() {
    gate.pass(first, LITTLE);

    assertThat(isRead(first)).isTrue();
    assertThat(tasks).isEmpty();
  }

  @Test
  void whileItIsShutEachWaitsThatHasBroughtSomething() {
    gate.shut();
    gate.pass(first, LITTLE);
    assertThat(isRead(first)).isFalse();
    assertThat(isRead(second)).isTrue();
    gate.pass(second, LITTLE);
    endTurn();
    assertThat(isRead(second)).isFalse();

    gate.open();

    assertThat(isRead(first)).isTrue();
    assertThat(isRead(second)).isTrue();
    gate.pass(first, LITTLE);
    assertThat(isRead(first)).isTrue();
  }

  @Test
  void whoHasClosedMeanwhileIsNotRead() {
    gate.shut();
    gate.pass(first, LITTLE);
    first.close();

    gate.open();

    assertThat(isRead(first)).isFalse();
  }

  @Test
  void afterMuchTheRestWaitsForTheNextTurn() {
    gate.pass(first, ReadGate.MOST_AT_ONCE - LITTLE);
    assertThat(isRead(first)).isTrue();

    gate.pass(second, LITTLE);
    gate.pass(first, LITTLE);

    assertThat(isRead(first)).isFalse();
    assertThat(isRead(second)).isFalse();
    endTurn();
    assertThat(isRead(first)).isTrue();
    assertThat(isRead(second)).isTrue();
    gate.pass(first, ReadGate.MOST_AT_ONCE - LITTLE);
    assertThat(isRead(first)).isTrue();
  }

  @Test
  void theNextTurnReadsNothingWhileItIsShut() {
    gate.pass(first, ReadGate.MOST_AT_ONCE);
    gate.shut();
    endTurn();
    assertThat(isRead(first)).isFalse();

    gate.open();

    assertThat(isRead(first)).isTrue();
  }

  @Test
  void openingItBringsNothingIntoATurnThatHasMuch() {
    gate.shut();
    gate.pass(first, ReadGate.MOST_AT_ONCE);

    gate.open();

    assertThat(isRead(first)).isFalse();
    endTurn();
    assertThat(isRead(first)).isTrue();
  }
}
