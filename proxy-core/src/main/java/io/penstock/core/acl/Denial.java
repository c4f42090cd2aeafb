package io.penstock.core.acl;

/**
 * Why a request is not permitted. Immutable.
 *
 * @param object what {@code ACL LOG} shows: the name of the command ({@code config|set}), the key
 *     or the channel, one character per byte
 */
public record Denial(Reason reason, String object) {

  /** What is not permitted. */
  public enum Reason {
    /** The command. */
    COMMAND,
    /** The access to a key. */
    KEY,
    /** A channel, or a pattern of channels. */
    CHANNEL,
    /**
     * An option of {@code SORT} that reads keys which the request does not name. The object is the
     * option.
     */
    SORT_OPTION
  }
}
