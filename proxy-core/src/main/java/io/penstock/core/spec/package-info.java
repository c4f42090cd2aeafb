/**
 * What servers say of a command in their {@code COMMAND} replies: flags, categories, and where its
 * keys are; and patterns as servers match them. Values without I/O, for any thread, except {@link
 * io.penstock.core.spec.KeyPositions}, which is one loop's.
 */
@NullMarked
package io.penstock.core.spec;

import org.jspecify.annotations.NullMarked;
