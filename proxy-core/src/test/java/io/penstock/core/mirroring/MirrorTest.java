package io.penstock.core.mirroring;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class MirrorTest {

  @Test
  void nothingIsCopiedAgainOnceAllLoopsAreClosed() {
    var mirror = new Mirror(new MirrorSettings(ReplyPolicy.PRIMARY, 1, 1), () -> true);
    List<Boolean> done = new ArrayList<>();

    mirror.copyAgain(3, ConnectionKey.DEFAULT_DATABASE, List.of(new byte[] {'k'}), done::add);

    assertThat(done).containsExactly(false);
  }
}
