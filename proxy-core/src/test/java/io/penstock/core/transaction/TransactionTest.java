package io.penstock.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.resp.RespLimits;
import io.penstock.core.wire.Frames;
import io.penstock.testkit.wire.Wire;
import org.junit.jupiter.api.Test;

class TransactionTest {

  private static final RequestFrame GET = Frames.call("GET a");
  private static final int LENGTH = Wire.request("GET", "a").length();

  private static Transaction of(int commands, int bytes) {
    return new Transaction(
        new RespLimits(1_000, commands, 1_000, bytes), Transaction.ANY_PARTITION);
  }

  @Test
  void theNumberOfCommandsIsLimited() {
    Transaction transaction = of(2, 1_000);
    transaction.add(GET, 1, null);
    assertThat(transaction.hasRoomFor(GET)).isTrue();
    transaction.add(GET, 1, null);
    assertThat(transaction.hasRoomFor(GET)).isFalse();
    transaction.discard();
  }

  @Test
  void behindAnOriginalThatIsOmittedNoneIsKept() {
    Transaction transaction = of(100, 1_000);
    transaction.add(GET, 1, null);
    transaction.noteOriginal(GET);
    transaction.noteOriginal(GET); // nothing was queued
    assertThat(transaction.originals()).hasSize(1);
    transaction.omitOriginal(); // nothing was queued
    transaction.add(GET, 1, null);
    transaction.noteOriginal(GET);
    assertThat(transaction.originals()).hasSize(2);
    transaction.add(GET, 1, null);
    transaction.omitOriginal();
    transaction.add(GET, 1, null);
    transaction.noteOriginal(GET);
    assertThat(transaction.originals()).hasSize(2);
    transaction.discard();
  }

  @Test
  void theNumberOfBytesIsLimited() {
    Transaction transaction = of(100, 2 * LENGTH);
    transaction.add(GET, 1, null);
    assertThat(transaction.hasRoomFor(GET)).isTrue();
    assertThat(transaction.hasRoomFor(Frames.call("GET ab"))).isFalse();
    transaction.discard();
  }

  @Test
  void anAbortedTransactionIsEmptyButStillCounts() {
    Transaction transaction = of(100, 100);
    transaction.add(GET, 1, null);
    transaction.abort();
    for (int i = 0; i < 50; i++) {
      assertThat(transaction.hasRoomFor(GET)).isTrue();
      transaction.add(GET, 1, null);
    }
    assertThat(transaction.queued()).isEqualTo(51);
  }

  @Test
  void theFirstKeyDecidesTheSlot() {
    Transaction transaction = of(100, 1_000);
    transaction.add(GET, Transaction.ANY_PARTITION, null);
    assertThat(transaction.mayHaveKeysIn(7)).isTrue();
    transaction.add(GET, 7, null);
    assertThat(transaction.mayHaveKeysIn(7)).isTrue();
    assertThat(transaction.mayHaveKeysIn(Transaction.ANY_PARTITION)).isTrue();
    assertThat(transaction.mayHaveKeysIn(8)).isFalse();
    ByteBuf block = transaction.takeBlock();
    assertThat(Wire.text(block))
        .isEqualTo(Wire.request("MULTI") + Wire.request("GET", "a").repeat(2));
    block.release();
  }
}
