package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.List;

/** Appends numbers to two lists in transactions: each runs completely or not at all, and once. */
final class TransactionClient extends WorkloadClient {

  private final AppendedLists lists;
  private final boolean watching;
  private final String watched;

  /**
   * @param watching whether each transaction watches a key that is never written
   */
  TransactionClient(
      String name,
      FaultWorkload workload,
      ClientConnection.Kind kind,
      String key,
      boolean watching) {
    super(name, workload, kind);
    this.lists = new AppendedLists(this, "transacted", key + ":one", key + ":other");
    this.watched = key + ":watched";
    this.watching = watching;
  }

  @Override
  void step() {
    lists.rollOver();
    String number = lists.number(0);
    List<String[]> requests = requests();
    if (watching) {
      requests.add(new String[] {"WATCH", watched});
    }
    requests.add(new String[] {"MULTI"});
    requests.add(new String[] {"RPUSH", lists.key(0), number});
    requests.add(new String[] {"ECHO", number});
    requests.add(new String[] {"RPUSH", lists.key(1), number});
    requests.add(new String[] {"EXEC"});
    requests.add(waitForReplica());
    long sent = System.nanoTime();
    List<String> replies = call(requests);
    String exec = replies.get(requests.size() - 2);
    boolean replicated = isReplicated(replies.getLast(), sent);
    Outcome outcome = Outcome.of(exec);
    if (exec.equals("*-1\r\n") || exec.equals("_\r\n")) {
      outcome = nil(replies.getFirst(), sent);
    } else if (outcome == Outcome.DONE) {
      String length = exec.substring(4, exec.indexOf('\n', 4) + 1);
      if (!exec.equals("*3\r\n" + length + Wire.bulk(number) + length)) {
        throw new AssertionError("EXEC of " + number + " was answered " + exec);
      }
      lists.checkLength(length);
    }
    lists.add(outcome, replicated, sent);
  }

  /** A watched key counts as changed when its connection is lost or its slot moves. */
  private Outcome nil(String watch, long sent) {
    if (!watching || !timeline().anyActive(sent, System.nanoTime())) {
      throw new AssertionError("EXEC was answered nil; WATCH before it: " + watch);
    }
    counts().add("EXEC nil");
    markFailed();
    return Outcome.NOT_RUN;
  }

  @Override
  void verify(ClientConnection fresh) {
    lists.verify(fresh);
  }
}
