package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.List;

/** Appends numbers to two lists in transactions: all of one or nothing, and once. */
final class TransactionClient extends WorkloadClient {

  private final AppendedLists chapters;
  private final boolean watching;
  private final String watched;

  /**
   * @param watching whether each transaction depends on a key that nobody writes
   */
  TransactionClient(
      String name, FaultWorkload crowd, ClientConnection.Kind kind, String key, boolean watching) {
    super(name, crowd, kind);
    this.chapters = new AppendedLists(this, "transacted", key + ":one", key + ":other");
    this.watched = key + ":watched";
    this.watching = watching;
  }

  @Override
  void step() {
    chapters.turnPage();
    String number = chapters.number(0);
    List<String[]> requests = requests();
    if (watching) {
      requests.add(new String[] {"WATCH", watched});
    }
    requests.add(new String[] {"MULTI"});
    requests.add(new String[] {"RPUSH", chapters.key(0), number});
    requests.add(new String[] {"ECHO", number});
    requests.add(new String[] {"RPUSH", chapters.key(1), number});
    requests.add(new String[] {"EXEC"});
    requests.add(WAIT);
    long sent = System.nanoTime();
    List<String> replies = ask(requests);
    String exec = replies.get(requests.size() - 2);
    boolean safe = isSafe(replies.getLast(), sent);
    Outcome outcome = Outcome.of(exec);
    if (exec.equals("*-1\r\n") || exec.equals("_\r\n")) {
      outcome = nil(replies.getFirst(), sent);
    } else if (outcome == Outcome.DONE) {
      String length = exec.substring(4, exec.indexOf('\n', 4) + 1);
      if (!exec.equals("*3\r\n" + length + Wire.bulk(number) + length)) {
        throw new AssertionError("EXEC of " + number + " was answered " + exec);
      }
      chapters.checkLength(length);
    }
    chapters.add(outcome, safe, sent);
  }

  /** A watched key counts as changed when its connection is lost or its slot moves. */
  private Outcome nil(String watch, long sent) {
    if (!watching || !weather().isDisturbed(sent, System.nanoTime())) {
      throw new AssertionError("EXEC was answered nil; WATCH before it: " + watch);
    }
    tally().add("EXEC nil");
    fail();
    return Outcome.NOT_RUN;
  }

  @Override
  void verify(ClientConnection fresh) {
    chapters.verify(fresh);
  }
}
