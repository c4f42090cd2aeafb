package io.penstock.server.fault;

import io.penstock.server.it.CopiesFixture;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;

/** Writes to few keys that others write too, with commands of many kinds. */
final class RacingClient extends WorkloadClient {

  private static final int DEPTH = 10;

  private final int kinds;
  private final Random random;

  /**
   * @param kinds {@link CopiesFixture#ORDERED} or {@link CopiesFixture#ALL}
   */
  RacingClient(
      String name, FaultWorkload workload, ClientConnection.Kind kind, int kinds, long seed) {
    super(name, workload, kind);
    this.kinds = kinds;
    this.random = new Random(seed);
  }

  @Override
  void step() {
    List<String[]> requests = new ArrayList<>();
    while (requests.size() < DEPTH) {
      List<String[]> next = CopiesFixture.next(random, kinds);
      if (!next.getFirst()[0].startsWith("FLUSH")) { // other clients know their keys
        requests.addAll(next);
      }
    }
    List<String> replies = call(requests, Set.of("ERR"));
    counts().add("raced", replies.stream().filter(reply -> !reply.startsWith("-")).count());
  }

  /** The servers are compared with each other. */
  @Override
  void verify(ClientConnection fresh) {}
}
