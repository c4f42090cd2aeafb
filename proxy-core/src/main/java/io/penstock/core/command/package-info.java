/**
 * What Penstock knows about every command, and one request seen with that knowledge.
 *
 * <p>{@code commands.table} holds what servers say about their commands (arity, flags, key specs,
 * policies); {@code handling.table} beside it holds what Penstock decides about them (where a
 * command goes, how replies merge, what is refused and why). Both are read once by {@link
 * io.penstock.core.command.CommandTable#load()} into immutable specs that all event loops share.
 * What nodes say beyond them makes a newer table. Per request, a frame enters, its spec and key
 * positions leave: found from the bytes, nothing allocated, nothing kept.
 */
@NullMarked
package io.penstock.core.command;

import org.jspecify.annotations.NullMarked;
