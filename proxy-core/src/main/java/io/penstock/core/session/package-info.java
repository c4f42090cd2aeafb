/**
 * One client connection, from bytes to bytes.
 *
 * <p>{@link io.penstock.core.session.Session} reads requests, has each routed, sends it on its way
 * or answers it, and gives the replies back in the order of the requests ({@link
 * io.penstock.core.session.ReplySequence}). What a node refuses with a redirect is sent again from
 * here, without two requests of the client for one slot changing places ({@link
 * io.penstock.core.session.Retries}). Everything runs on the client's event loop; {@link
 * io.penstock.core.session.SessionLoop} holds what its clients share.
 */
@NullMarked
package io.penstock.core.session;

import org.jspecify.annotations.NullMarked;
