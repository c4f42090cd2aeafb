/**
 * The clients of all loops, as {@code CLIENT LIST}, {@code CLIENT KILL} and {@code CLIENT PAUSE}
 * need them. A loop registers its clients; a command of one loop reaches the clients of the others
 * through {@link io.penstock.core.directory.ClientDirectory}, which spans all loops. Everything
 * else is confined to a loop.
 */
@NullMarked
package io.penstock.core.directory;

import org.jspecify.annotations.NullMarked;
