package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.List;

/**
 * Appends numbers to two lists of two shards in transactions. Each list has its number once and in
 * order, or not at all, as the reply says.
 */
final class SpreadTransactionClient extends WorkloadClient {

  private final List<AppendedLists> lists;

  SpreadTransactionClient(
      String name, FaultWorkload workload, ClientConnection.Kind kind, String... keys) {
    super(name, workload, kind);
    this.lists =
        List.of(
            new AppendedLists(this, "spread", keys[0]), new AppendedLists(this, "spread", keys[1]));
  }

  @Override
  void step() {
    lists.forEach(AppendedLists::rollOver);
    String one = lists.get(0).number(0);
    String other = lists.get(1).number(0);
    List<String[]> requests = requests();
    requests.add(new String[] {"MULTI"});
    requests.add(new String[] {"RPUSH", lists.get(0).key(0), one});
    requests.add(new String[] {"ECHO", one});
    requests.add(new String[] {"RPUSH", lists.get(1).key(0), other});
    requests.add(new String[] {"EXEC"});
    requests.add(waitForReplica());
    long sent = System.nanoTime();
    List<String> replies = call(requests);
    String exec = replies.get(4);
    boolean replicated = isReplicated(replies.getLast(), sent);
    if (Outcome.of(exec) != Outcome.DONE) {
      lists.forEach(list -> list.add(Outcome.of(exec), replicated, sent));
      return;
    }
    List<String> elements = elements(exec);
    if (elements.size() != 3
        || (!elements.get(1).startsWith("-") && !elements.get(1).equals(Wire.bulk(one)))) {
      throw new AssertionError("EXEC of " + one + " was answered " + Wire.shown(exec));
    }
    add(lists.get(0), elements.get(0), replicated, sent);
    add(lists.get(1), elements.get(2), replicated, sent);
  }

  private void add(AppendedLists list, String element, boolean replicated, long sent) {
    if (element.startsWith("-")) {
      if (!timeline().anyActive(sent, System.nanoTime())) {
        throw new AssertionError("an element of EXEC is " + element.strip());
      }
      counts().add("spread " + Outcome.prefix(element));
      markFailed();
    } else {
      list.checkLength(element);
      counts().add("spread");
    }
    list.add(Outcome.of(element), replicated, sent);
  }

  /** Returns the elements of an array of integers, errors and one bulk string without line ends. */
  private static List<String> elements(String array) {
    List<String> elements = new ArrayList<>();
    int at = array.indexOf('\n') + 1;
    while (at < array.length()) {
      int end = array.indexOf('\n', at) + 1;
      end = array.charAt(at) == '$' ? array.indexOf('\n', end) + 1 : end;
      elements.add(array.substring(at, end));
      at = end;
    }
    return elements;
  }

  @Override
  void verify(ClientConnection fresh) {
    lists.forEach(list -> list.verify(fresh));
  }
}
