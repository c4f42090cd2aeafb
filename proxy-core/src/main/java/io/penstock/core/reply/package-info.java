/**
 * The replies to a client, in order. A request takes a {@link io.penstock.core.reply.ReplySlot}
 * when it is handled. Replies enter the slots in any order and are written to the socket in the
 * order of the requests ({@link io.penstock.core.reply.ReplySequence}). On the client's event loop.
 */
@NullMarked
package io.penstock.core.reply;

import org.jspecify.annotations.NullMarked;
