/**
 * What servers report about commands in their {@code COMMAND} replies: flags, categories and key
 * specs; and glob patterns as servers match them. Values without I/O, safe from any thread, except
 * {@link io.penstock.core.spec.KeyPositions}, which is confined to a loop.
 */
@NullMarked
package io.penstock.core.spec;

import org.jspecify.annotations.NullMarked;
