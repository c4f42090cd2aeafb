/**
 * {@code MULTI}, {@code EXEC} and {@code WATCH}. The commands after {@code MULTI} are queued here;
 * {@code EXEC} leaves as one {@link io.penstock.core.transaction.TransactionBlock}, and the replies
 * to local commands are inserted between those of the node. A transaction over several partitions
 * has a block for each of them. On the client's event loop.
 */
@NullMarked
package io.penstock.core.transaction;

import org.jspecify.annotations.NullMarked;
