/**
 * What Penstock knows about every command, and the lookup of a request's command.
 *
 * <p>{@code commands.table} has what servers report about their commands (arity, flags, key specs,
 * policies). {@code handling.table} has what Penstock decides about them (where a command is sent,
 * how replies are merged, what is rejected and why). {@link
 * io.penstock.core.command.CommandTable#load()} reads both once into immutable specs, which all
 * event loops share. Commands learnt from nodes result in a new table. For each request, a frame
 * enters, and its spec and key positions leave. They are found from the bytes; nothing is allocated
 * and nothing is kept.
 */
@NullMarked
package io.penstock.core.command;

import org.jspecify.annotations.NullMarked;
