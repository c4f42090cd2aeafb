package io.penstock.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.penstock.core.directory.ClientDirectory;
import io.penstock.core.directory.ClientDirectory.AllClients;
import io.penstock.core.limit.TotalMemory;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.observe.Label;
import io.penstock.testkit.network.Peer;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Two listeners whose limits of client memory are together more than that of the process. */
class ListenersMemoryTest {

  private static final long MEGABYTE = 1 << 20;
  private static final long OF_PROCESS = 16 * MEGABYTE;
  private static final long OF_LISTENER = 12 * MEGABYTE;
  private static final String SET = Wire.request("SET", "b", "x".repeat(1 << 16));

  private final Rig rig = new RigOptions().clientLimits(Limits.memory(OF_LISTENER)).start();
  private final AllClients process = new AllClients(TotalMemory.ofProcess(OF_PROCESS));
  private final SessionLoop one = clients();
  private final SessionLoop two = clients();
  private final int portOfOne = rig.listen(one);
  private final int portOfTwo = rig.listen(two);

  @AfterEach
  void close() {
    for (SessionLoop listener : List.of(one, two)) {
      rig.onLoop(() -> {
        List.copyOf(listener.sessions()).forEach(session -> session.closeNow("the test ends"));
        return true;
      });
    }
    rig.close();
  }

  /** The clients of a listener. */
  private SessionLoop clients() {
    var directory = new ClientDirectory(process, Label.ONLY);
    SessionLoop first = rig.sessions();
    return rig.onLoop(() ->
        new SessionLoop(rig.loop(), rig.settings(), first.servers(), rig.routing(), directory));
  }

  /** Queues requests of 64 KiB in a transaction, which keeps them. */
  private Peer queue(int requests, int port) {
    return rig.client(port).send(Wire.request("MULTI") + SET.repeat(requests));
  }

  private Peer queued(int requests, int port) {
    return queue(requests, port).expect("+OK\r\n" + "+QUEUED\r\n".repeat(requests));
  }

  private long used(SessionLoop listener) {
    return rig.onLoop(() -> listener.memory().all().used());
  }

  private long closed(SessionLoop listener) {
    return rig.onLoop(() -> listener.counters().closes(CloseReason.MEMORY));
  }

  @Test
  void theLargestClientIsClosedWhicheverListenerItIsOn() {
    Peer large = queued(80, portOfOne);
    List<Peer> small = new ArrayList<>();
    while (closed(one) + closed(two) == 0) {
      small.add(queued(8, portOfTwo));
    }

    large.expectClosed();
    assertThat(closed(one)).isEqualTo(1);
    assertThat(closed(two)).isZero();
    assertThat(used(two)).isLessThan(OF_LISTENER);
    small.forEach(client -> client.send(Wire.request("DISCARD")).expect("+OK\r\n"));
  }

  @Test
  void theLimitOfAListenerClosesItsOwnClients() {
    Peer large = queued(20, portOfOne);
    for (int i = 0; i < 16; i++) {
      queue(16, portOfTwo);
    }

    await().until(() -> closed(two) > 0);
    assertThat(closed(one)).isZero();
    large.send(Wire.request("DISCARD")).expect("+OK\r\n");
  }
}
