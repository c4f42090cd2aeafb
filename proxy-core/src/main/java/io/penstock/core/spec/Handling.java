package io.penstock.core.spec;

import io.penstock.core.resp.RequestFrame;
import java.util.List;

/** What Penstock does with a command, by {@code handling.table}. */
public sealed interface Handling {

  /**
   * Sent to the node of its keys' slot. A call without keys (of a script, for example) may run on
   * any node. Containers have this handling too, but are never sent: without a known subcommand
   * Penstock answers with an error.
   */
  record Forward() implements Handling {}

  /**
   * Split over the nodes of its keys' slots. Its keys, each with its values, are consecutive; each
   * part gets all other arguments.
   *
   * @param firstKey argument index of the first key
   * @param keyStep arguments per key, including it
   * @param countAt argument index of the number of keys; 0 if they extend to the last argument
   * @param options that may follow a counted number of keys
   */
  record Split(Merge merge, int firstKey, int keyStep, int countAt, List<Option> options)
      implements Handling {

    /** The result of {@link #keys} for a request that is not split. */
    public static final int WHOLE = -1;

    /** Each part gets the options: these limits keep the parts short. */
    private static final int MAX_OPTION_ARGUMENTS = 8;

    private static final int MAX_OPTION_LENGTH = 20;

    public Split {
      options = List.copyOf(options);
    }

    /** With keys up to the last argument. */
    public Split(Merge merge, int firstKey, int keyStep) {
      this(merge, firstKey, keyStep, 0, List.of());
    }

    /**
     * Returns the number of keys. {@link #WHOLE} if the arguments are wrong, so that a server
     * returns its error, or if another option follows, which may make the parts depend on each
     * other. The arity must be accepted.
     */
    public int keys(RequestFrame frame) {
      int rest = frame.argc() - firstKey;
      if (countAt == 0) {
        return rest % keyStep == 0 ? rest / keyStep : WHOLE;
      }
      long count = Ascii.parseLong(frame, countAt);
      return count > 0
              && count <= rest / keyStep
              && hasOnlyOptions(frame, firstKey + (int) count * keyStep)
          ? (int) count
          : WHOLE;
    }

    private boolean hasOnlyOptions(RequestFrame frame, int from) {
      if (frame.argc() - from > MAX_OPTION_ARGUMENTS) {
        return false;
      }
      int next = from; // the next option
      for (int i = from; i < frame.argc(); i++) {
        if (frame.length(i) > MAX_OPTION_LENGTH) {
          return false;
        }
        if (i == next) {
          int arguments = Option.arguments(options, frame, i);
          if (arguments == Option.NONE) {
            return false;
          }
          next += 1 + arguments;
        }
      }
      return next == Math.max(from, frame.argc());
    }
  }

  /**
   * Sent to the master of every shard.
   *
   * @param aside whether it uses separate connections, so that a node reads it while a script
   *     blocks the connection that sent the script
   */
  record Broadcast(Merge merge, boolean aside) implements Handling {}

  /** Like {@link Forward}; also stores the request's script, to load it on nodes that lack it. */
  record Script() implements Handling {}

  /** {@code SCAN}: shard after shard, one per call. */
  record Scan() implements Handling {}

  /** Without keys, answered by any node; preferably by the same node for one client. */
  record AnyNode() implements Handling {}

  /**
   * Sent to the node with the subscriptions to its channel, which is the first argument.
   *
   * @param sharded whether it is a shard channel, so that the message stays in the shard of the
   *     channel's slot
   */
  record Publish(boolean sharded) implements Handling {}

  /** Answered by Penstock. */
  record Local(LocalCommand command) implements Handling {}

  /**
   * Rejected with an error.
   *
   * @param error the whole error line without the leading {@code -} and the line end
   * @param configured whether an entry of the configuration denies it
   */
  record Rejected(String error, boolean configured) implements Handling {

    /** For a command that no entry of the configuration denies. */
    public Rejected(String error) {
      this(error, false);
    }
  }

  /** Sent to the node of its keys' slot, over a connection that is then leased to the client. */
  public record Watch() implements Handling {}

  /**
   * Sent to the node of its keys' slot, where it may block.
   *
   * @param timeoutAt argument index of the timeout; counted from the end if negative
   * @param undo what pushes the elements back that no client received
   */
  record Blocking(int timeoutAt, Undo undo) implements Handling {

    /** The command that undoes a call. */
    public enum Undo {
      /** None: the call moves elements, or only reads. */
      NOTHING,
      LPUSH,
      RPUSH,
      /** {@code LPUSH} or {@code RPUSH}, as the call says. */
      PUSH,
      ZADD
    }

    /** Returns the argument index of the timeout, which is in seconds. */
    public int timeoutAt(RequestFrame frame) {
      return timeoutAt < 0 ? frame.argc() + timeoutAt : timeoutAt;
    }
  }

  /**
   * Sent to the node of its keys' slot, where it may block if an option is given.
   *
   * @param keyword the option; its argument is the timeout
   * @param end the argument that ends the options
   * @param options options with arguments that may precede it, so that their arguments are not
   *     mistaken for it; any other word may be an option of a newer server
   */
  record BlockingIf(String keyword, String end, List<Option> options) implements Handling {

    public BlockingIf {
      options = List.copyOf(options);
    }

    /**
     * Returns the argument index of the timeout, which is in milliseconds; 0 if the call does not
     * block.
     */
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
