/**
 * {@code MULTI}, {@code EXEC} and {@code WATCH}. What comes behind {@code MULTI} is queued here;
 * {@code EXEC} leaves as one {@link io.penstock.core.transaction.TransactionBlock}, and the replies of
 * Penstock's own commands are put between those of the node. On the client's event loop.
 */
@NullMarked
package io.penstock.core.transaction;

import org.jspecify.annotations.NullMarked;
