/**
 * The places of requests among a client's replies. A request takes a {@link
 * io.penstock.core.reply.ReplySlot} when it is taken up; the reply enters there, in any order, and
 * leaves to the socket in the order of the requests ({@link io.penstock.core.reply.ReplySequence}).
 * On the client's event loop.
 */
@NullMarked
package io.penstock.core.reply;

import org.jspecify.annotations.NullMarked;
