/**
 * Resource tables of camellia-redis-proxy: a file enters, and leaves as a {@link
 * io.penstock.server.table.RouteTable}. On the main thread at the start, and on the thread of the
 * reload.
 */
@NullMarked
package io.penstock.server.table;

import org.jspecify.annotations.NullMarked;
