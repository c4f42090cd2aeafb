/**
 * The commands that Penstock answers itself: about the connection, the clients, the server, and the
 * cluster that it shows. Commands enter, replies leave; facts that only nodes have are queried from
 * them. On the client's event loop.
 */
@NullMarked
package io.penstock.core.answer;

import org.jspecify.annotations.NullMarked;
