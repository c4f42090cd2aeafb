/**
 * The commands that Penstock answers itself: about the connection, the clients, the server, and the
 * cluster that it shows. Commands enter, replies leave; what only nodes know is asked of them. On
 * the client's event loop, except {@link io.penstock.core.answer.ClientDirectory}, which asks all
 * loops.
 */
@NullMarked
package io.penstock.core.answer;

import org.jspecify.annotations.NullMarked;
