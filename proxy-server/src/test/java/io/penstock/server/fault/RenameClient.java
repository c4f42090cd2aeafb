package io.penstock.server.fault;

import io.penstock.testkit.wire.Wire;
import java.util.List;
import java.util.Set;

/**
 * Renames a key of one shard to one of another, there and back. The value is always at one of the
 * two names at least, and at both only after a rename with an unknown outcome.
 */
final class RenameClient extends WorkloadClient {

  private static final String NO_SUCH_KEY = "-ERR no such key\r\n";

  private final List<String> keys;
  private int at; // the key that has the value, as far as is known
  private long number; // the value
  private boolean certain; // that it is there, and nowhere else
  private boolean written;
  private long since; // when the value was written

  RenameClient(String name, FaultWorkload workload, ClientConnection.Kind kind, String... keys) {
    super(name, workload, kind);
    this.keys = List.of(keys);
  }

  @Override
  void step() {
    if (!written) {
      write();
      return;
    }
    String[] rename = {"RENAME", keys.get(at), keys.get(1 - at)};
    String[] read = {"GET", keys.get(1 - at)};
    List<String> replies = call(requests(rename, waitForReplica(), read), Set.of("ERR"));
    String reply = replies.getFirst();
    if (reply.equals(NO_SUCH_KEY)) {
      if (certain && !timeline().mayLoseWrites(since, System.nanoTime())) {
        throw new AssertionError(keys.get(at) + " is lost; recent faults: " + timeline());
      }
      written = !timeline().mayLoseWrites(since, System.nanoTime());
      at = 1 - at;
    } else if (Outcome.of(reply) == Outcome.DONE) {
      at = 1 - at;
      certain = true;
      counts().add("renamed over slots");
      check(replies.getLast());
    } else if (Outcome.of(reply) == Outcome.UNKNOWN) {
      certain = false;
    }
  }

  private void write() {
    number++;
    since = System.nanoTime();
    String value = Long.toString(number);
    List<String> replies =
        call(
            requests(
                new String[] {"DEL", keys.get(1)},
                new String[] {"SET", keys.get(0), value},
                waitForReplica()));
    if (replies.stream().noneMatch(reply -> reply.startsWith("-"))
        && isReplicated(replies.getLast(), since)) {
      written = true;
      certain = true;
      at = 0;
    }
  }

  private void check(String value) {
    if (value.charAt(0) != '-'
        && !value.equals(Wire.bulk(Long.toString(number)))
        && !timeline().mayLoseWrites(since, System.nanoTime())) {
      throw new AssertionError("the renamed value " + number + " is " + Wire.shown(value));
    }
  }

  @Override
  void verify(ClientConnection fresh) {
    if (!written || timeline().mayLoseWrites(since, System.nanoTime())) {
      return;
    }
    String value = Wire.bulk(Long.toString(number));
    List<String> replies =
        fresh.exchange(
            List.of(new String[] {"GET", keys.get(0)}, new String[] {"GET", keys.get(1)}));
    if (!replies.contains(value) || (certain && !replies.get(at).equals(value))) {
      throw new AssertionError("a renamed value is lost: " + replies);
    }
  }
}
