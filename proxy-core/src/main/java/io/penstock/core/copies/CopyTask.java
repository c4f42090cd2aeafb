package io.penstock.core.copies;

import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.spec.CommandSpec;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What each copy gets for one call or transaction, or one copy for a key that is copied again.
 * Immutable; passed from the loop that has the primary's reply to the loops of the copies.
 *
 * @param database that the requests are for, as in {@link
 *     io.penstock.core.backend.ConnectionKey#ofDatabase}: -1 for the upstream's own
 * @param requests at least one; several are sent as one transaction where they belong to one
 *     partition of the copy
 * @param spec the command if the only request is the client's own; null otherwise
 * @param expected the primary's reply to the client's own request; null if it is not compared: then
 *     only an error differs
 * @param keys that differ if the copy does not do this: they are copied again. Empty if nobody
 *     knows them: the copy is behind then
 */
public record CopyTask(
    int database,
    List<CopyRequest> requests,
    @Nullable CommandSpec spec,
    byte @Nullable [] expected,
    List<byte[]> keys) {

  /** What became of a task at one copy. */
  public enum Result {
    /** It did it, with the expected reply if there is one. */
    DONE,
    /** It answered something else, or with an error. */
    DIFFERED,
    /** It may have done it or not: the connection was lost, or it did not answer in time. */
    UNKNOWN,
    /** It was not sent: the queue was full, or the copy was away for too long. */
    DROPPED
  }

  /** Is told, once, on the copy's loop. */
  public interface Listener {

    /** Nobody waits for the end of the task. */
    Listener NOBODY = _ -> {};

    void onEnd(Result result);
  }

  /** Returns about how many bytes of memory it takes. */
  public long size() {
    long size = 128;
    for (CopyRequest request : requests) {
      size += request.size();
    }
    return size + (expected == null ? 0 : expected.length);
  }
}
