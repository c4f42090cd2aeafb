package io.penstock.core.command;

import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.Ascii;
import java.util.List;

/** What Penstock does with a command, as {@code handling.table} says. */
public sealed interface Handling {

  /**
   * To the node of its keys' slot. A call without keys (a script's, say) may run on any one node.
   * Containers have this handling too, but never run: without a known subcommand there is an error
   * to answer.
   */
  record Forward() implements Handling {}

  /**
   * Divided over the nodes of its keys' slots. All arguments from the first key on are groups of a
   * key and what belongs to it.
   *
   * @param firstKey argument index of the first key
   * @param keyStep arguments per group
   */
  record Split(Merge merge, int firstKey, int keyStep) implements Handling {

    /** Whether the last group is whole; if not, the server's error is wanted and not a split. */
    public boolean hasWholeGroups(int argc) {
      return (argc - firstKey) % keyStep == 0;
    }
  }

  /**
   * To the master of every shard.
   *
   * @param aside over connections that carry nothing else, so that it is read while a script runs
   *     on the connection that the script came by
   */
  record Broadcast(Merge merge, boolean aside) implements Handling {}

  /** As {@link Forward}, and the script that it carries is remembered. */
  record Script() implements Handling {}

  /** {@code SCAN}: shard after shard, one at a call. */
  record Scan() implements Handling {}

  /** Without keys; any one node's answer serves, best always the same node's for one client. */
  record AnyNode() implements Handling {}

  /**
   * A message to the node that listens for its channel, which is the first argument.
   *
   * @param sharded whether it stays in the shard of the channel's slot
   */
  record Publish(boolean sharded) implements Handling {}

  /** Answered by Penstock. */
  record Local(LocalCommand command) implements Handling {}

  /**
   * Not served.
   *
   * @param error the whole error line without the leading {@code -} and the line end
   */
  record Rejected(String error) implements Handling {}

  /** To the node of its keys' slot, over a connection that the client then has for itself. */
  public record Watch() implements Handling {}

  /**
   * To the node of its keys' slot, where it may block.
   *
   * @param timeoutAt argument index of the timeout; counted from the end if negative
   */
  record Blocking(int timeoutAt) implements Handling {

    /** The argument index of the timeout, in seconds. */
    public int timeoutAt(RequestFrame frame) {
      return timeoutAt < 0 ? frame.argc() + timeoutAt : timeoutAt;
    }
  }

  /**
   * To the node of its keys' slot, where it may block when an option is given.
   *
   * @param keyword the option, which the timeout follows
   * @param end what no option follows
   * @param options those with arguments that may stand before it, so that these are not taken for
   *     it; any other word may be an option of a newer server
   */
  record BlockingIf(String keyword, String end, List<Option> options) implements Handling {

    public BlockingIf {
      options = List.copyOf(options);
    }

    /** The argument index of the timeout, in milliseconds; 0 if it does not block. */
    public int timeoutAt(RequestFrame frame) {
      for (int i = 1; i < frame.argc() - 1; i++) {
        if (Ascii.equalsIgnoreCase(frame, i, keyword)) {
          return i + 1;
        }
        if (Ascii.equalsIgnoreCase(frame, i, end)) {
          return 0;
        }
        i += Math.max(0, Option.arguments(options, frame, i));
      }
      return 0;
    }
  }
}
