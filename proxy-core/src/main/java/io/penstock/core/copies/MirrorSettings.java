package io.penstock.core.copies;

/**
 * How the writes of an upstream are mirrored. Immutable.
 *
 * @param reply when clients get their reply
 * @param maxRequests most effects that may wait for one copy, those in flight included
 * @param maxBytes most bytes of them
 */
public record MirrorSettings(ReplyPolicy reply, int maxRequests, long maxBytes) {}
