package io.penstock.server.fault;

import java.util.List;

/**
 * Appends numbers to a list of its own, many at a time, and asks whether a replica has them. Each
 * that is acknowledged has to be there in the end, once and in order, and none that was refused.
 */
final class AppendClient extends WorkloadClient {

  private final int depth;
  private final AppendedLists chapters;

  AppendClient(
      String name, FaultWorkload crowd, ClientConnection.Kind kind, String key, int depth) {
    super(name, crowd, kind);
    this.depth = depth;
    this.chapters = new AppendedLists(this, "appended", key);
  }

  @Override
  void step() {
    chapters.turnPage();
    List<String[]> requests = requests();
    for (int i = 0; i < depth; i++) {
      requests.add(new String[] {"RPUSH", chapters.key(0), chapters.number(i)});
    }
    requests.add(WAIT);
    long sent = System.nanoTime();
    List<String> replies = ask(requests);
    boolean safe = isSafe(replies.getLast(), sent);
    for (int i = 0; i < depth; i++) {
      Outcome outcome = Outcome.of(replies.get(i));
      if (outcome == Outcome.DONE) {
        chapters.checkLength(replies.get(i));
      }
      chapters.add(outcome, safe, sent);
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    chapters.verify(fresh);
  }
}
