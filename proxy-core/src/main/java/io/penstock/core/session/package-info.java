/**
 * One client connection, from bytes to bytes.
 *
 * <p>{@link io.penstock.core.session.Session} reads requests, has each routed, sends it on its way
 * or answers it, and gives the replies back in the order of the requests ({@link
 * io.penstock.core.session.ReplySequence}). What a node refuses with a redirect is sent again from
 * here, without a request passing an earlier one of the client that shares a key with it, unless
 * both only read ({@link io.penstock.core.session.Retries}).
 *
 * <p>Everything runs on the client's event loop, and {@link io.penstock.core.session.SessionLoop}
 * holds what its clients share; what all loops share ({@link
 * io.penstock.core.session.ClientDirectory}, {@link io.penstock.core.session.Scripts}, {@link
 * io.penstock.core.session.ServerFace}) says so.
 *
 * <p>Where to look: in and out, {@code Intake}, {@code Input}, {@code Request}, {@code Part},
 * {@code ReplySequence}, {@code Sender}; again and in order, {@code Retries}, {@code Refusal},
 * {@code Fences}, {@code OrderGuard}, {@code SeveralKeys}; to all nodes, {@code Broadcast}, {@code
 * Coverage}, {@code Gather*}, {@code Scan*}; transactions, {@code Transaction*}, {@code Block},
 * {@code Execution}, {@code Watch*}; what blocks, {@code BlockingCall}, {@code Attempt}, {@code
 * PutBack}, {@code Unblocking}; limits, {@code Allowance}, {@code LoopMemory}, {@code Sweep},
 * {@code Client*Limits}; what Penstock answers itself, {@code *Replies}, {@code Client*}, {@code
 * ConfigGet}.
 */
@NullMarked
package io.penstock.core.session;

import org.jspecify.annotations.NullMarked;
