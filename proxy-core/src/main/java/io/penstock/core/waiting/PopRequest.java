package io.penstock.core.waiting;

import io.penstock.core.blocking.BlockingTimeout;
import io.penstock.core.command.CommandTable;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.Handling;
import io.penstock.core.transaction.TimeoutArgument;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that pops from one of several keys: the keys one behind the other, with their number
 * before them unless they begin with argument 1.
 *
 * @param frame the arguments, on the heap
 * @param partitions of the arguments that are keys, in their order
 * @param timeout null if it does not block
 * @param commands of the servers
 * @param partitionOfNoKey that of {@link #NO_KEY}
 */
record PopRequest(
    RequestFrame frame,
    CommandSpec spec,
    WaitedKey.Kind kind,
    Map<Integer, Integer> partitions,
    @Nullable BlockingTimeout timeout,
    CommandTable commands,
    int partitionOfNoKey) {

  /** A key that no client uses. */
  static final String NO_KEY = "penstock:tmp:none";

  private static final String SHORTEST = "0.001";

  /**
   * Returns when the request ends by itself; null if it does not block.
   *
   * @param now {@link System#nanoTime()}
   */
  static @Nullable BlockingTimeout timeout(CommandSpec spec, RequestFrame frame, long now) {
    int at = timeoutAt(spec, frame);
    return at == 0 ? null : new BlockingTimeout(frame.text(at), false, now);
  }

  private static int timeoutAt(CommandSpec spec, RequestFrame frame) {
    return spec.handling() instanceof Handling.Blocking blocking ? blocking.timeoutAt(frame) : 0;
  }

  CommandSpec command(String name) {
    return commands.byName(name);
  }

  /**
   * Returns the request for one key alone, with the shortest timeout: in a transaction it does not
   * block. A timeout that is no plain number is left for the node to reject.
   */
  List<String> ofKey(String key) {
    int firstKey = partitions.keySet().iterator().next();
    int timeoutAt = timeoutAt(spec, frame);
    List<String> request = new ArrayList<>();
    for (int i = 0; i < frame.argc(); i++) {
      if (i == firstKey) {
        request.add(key);
      } else if (i == firstKey - 1 && firstKey > 1) {
        request.add("1");
      } else if (i == timeoutAt && i > 0) {
        String timeout = frame.text(i);
        request.add(TimeoutArgument.isPlainSeconds(timeout) ? SHORTEST : timeout);
      } else if (!partitions.containsKey(i)) {
        request.add(frame.text(i));
      }
    }
    return request;
  }
}
