/**
 * What is known about one command: what servers report in their {@code COMMAND} replies (flags,
 * categories, key specs, arity), what Penstock decides ({@link io.penstock.core.spec.Handling}),
 * and where a request's keys and patterns are. Values without I/O, safe from any thread, except
 * {@link io.penstock.core.spec.KeyPositions}, which is confined to a loop.
 */
@NullMarked
package io.penstock.core.spec;

import org.jspecify.annotations.NullMarked;
