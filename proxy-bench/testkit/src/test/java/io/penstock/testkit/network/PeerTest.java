package io.penstock.testkit.network;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class PeerTest {

  private final ScriptedNode node = new ScriptedNode();
  private final Peer near = Peer.connect(node.port());
  private final Peer far = node.acceptUnanswered();

  @AfterEach
  void close() {
    near.close();
    node.close();
  }

  @Test
  void otherBytesThanExpectedAreShown() {
    near.send("+OK\r\n");

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> far.expect("+NO\r\n"))
        .withMessage("around byte 1 came\n  +OK\\r\\n\nand not\n  +NO\\r\\n");
  }

  @Test
  void anEndInsteadOfBytesIsShown() {
    near.send("+O").finishSending();

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(() -> far.expect("+OK\r\n"))
        .withMessageContaining("+O<end>");
  }

  @Test
  void bytesInsteadOfAnEndAreShown() {
    near.send("x");

    assertThatExceptionOfType(AssertionError.class)
        .isThrownBy(far::expectClosed)
        .withMessage("no end came but x");
  }

  @Test
  void bothWaysToCloseAreAnEnd() {
    near.reset();

    assertThatCode(far::expectClosed).doesNotThrowAnyException();
    try (Peer another = Peer.connect(node.port())) {
      another.finishSending();
      assertThatCode(node.acceptUnanswered()::expectClosed).doesNotThrowAnyException();
    }
  }
}
