package io.penstock.core.mirror;

import java.util.List;

/**
 * What a copy gets for one call, or for one transaction, that the primary has run. Effects must
 * reach a copy in the order in which the primary ran the calls; one of a call without keys ({@code
 * FLUSHALL}) in this order with regard to all keys. They are for the database that the client had
 * selected.
 *
 * <p>Immutable. Holds no buffer.
 */
public sealed interface Effect {

  /** Of a call that changed nothing. */
  Effect NOTHING = new Nothing();

  /** Of a call that repeats alike. */
  Effect AS_IS = new AsIs();

  /** Of a call after which nobody knows what the copy lacks. */
  Effect UNKNOWN = new Unknown();

  /** Nothing is sent. */
  record Nothing() implements Effect {}

  /**
   * The request of the call is sent. The copy's reply should be the primary's; if it is another
   * one, the keys of the call are no longer the same.
   */
  record AsIs() implements Effect {}

  /**
   * These requests are sent instead of the call's, in one transaction if there are several. Their
   * replies are not the primary's; an error means that the keys are no longer the same.
   */
  record Instead(List<CopyRequest> requests) implements Effect {
    public Instead {
      requests = List.copyOf(requests);
    }

    static Effect of(CopyRequest request) {
      return new Instead(List.of(request));
    }

    /** Returns {@link #NOTHING} if there are no requests. */
    static Effect of(List<CopyRequest> requests) {
      return requests.isEmpty() ? NOTHING : new Instead(requests);
    }
  }

  /**
   * The keys are copied again whole: value and deadline as they are at the primary when they are
   * read, or no key. What is read may be newer than this effect.
   *
   * @param first requests without keys that are sent before; mostly none
   * @param keys at least one
   */
  record CopyAgain(List<CopyRequest> first, List<byte[]> keys) implements Effect {
    public CopyAgain {
      first = List.copyOf(first);
      keys = List.copyOf(keys);
    }

    static Effect of(List<byte[]> keys) {
      return keys.isEmpty() ? UNKNOWN : new CopyAgain(List.of(), keys);
    }
  }

  /**
   * Several effects, in this order: of a transaction that has selected databases.
   *
   * @param parts at least one
   */
  record InDatabases(List<Part> parts) implements Effect {
    public InDatabases {
      parts = List.copyOf(parts);
    }
  }

  /**
   * What a copy gets in one database.
   *
   * @param database {@link #OF_CLIENT}, or its number
   * @param requests in one transaction if there are several
   * @param keys of the requests; if there are no requests, keys that are copied again whole
   */
  record Part(int database, List<CopyRequest> requests, List<byte[]> keys) {

    /** The database that the client had selected. */
    public static final int OF_CLIENT = Integer.MIN_VALUE;

    public Part {
      requests = List.copyOf(requests);
      keys = List.copyOf(keys);
    }
  }

  /** The copy may lack anything from now on: only comparing or copying all keys helps. */
  record Unknown() implements Effect {}
}
