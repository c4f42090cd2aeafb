/**
 * The configuration that Penstock starts with: {@link io.penstock.server.start.StartConfiguration},
 * read and checked before Spring creates any bean, and what it says about the process. On the main
 * thread.
 */
@NullMarked
package io.penstock.server.start;

import org.jspecify.annotations.NullMarked;
