package io.penstock.server.fault;

import java.util.List;

/**
 * Appends numbers to a list of its own, several at a time, and then sends WAIT for a replica. In
 * the end the list must contain each acknowledged number once and in order, and no number that got
 * a retryable error.
 */
final class AppendClient extends WorkloadClient {

  private final int depth;
  private final AppendedLists lists;

  AppendClient(
      String name, FaultWorkload workload, ClientConnection.Kind kind, String key, int depth) {
    super(name, workload, kind);
    this.depth = depth;
    this.lists = new AppendedLists(this, "appended", key);
  }

  @Override
  void step() {
    lists.rollOver();
    List<String[]> requests = requests();
    for (int i = 0; i < depth; i++) {
      requests.add(new String[] {"RPUSH", lists.key(0), lists.number(i)});
    }
    requests.add(waitForReplica());
    long sent = System.nanoTime();
    List<String> replies = call(requests);
    boolean replicated = isReplicated(replies.getLast(), sent);
    for (int i = 0; i < depth; i++) {
      Outcome outcome = Outcome.of(replies.get(i));
      if (outcome == Outcome.DONE) {
        lists.checkLength(replies.get(i));
      }
      lists.add(outcome, replicated, sent);
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    lists.verify(fresh);
  }
}
