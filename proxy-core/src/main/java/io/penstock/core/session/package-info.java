/**
 * One client connection, from bytes to bytes. {@link io.penstock.core.session.Session} reads
 * requests; its {@code Intake} routes each, decides whether it must wait, and passes it to the
 * handler of its plan, in one of the packages {@code forward}, {@code transaction}, {@code
 * blocking}, {@code replication}, {@code subscribe} and {@code answer}. The session implements the
 * interfaces by which handlers know their client; {@code SessionState} has its states.
 *
 * <p>Everything runs on the client's event loop. {@link io.penstock.core.session.SessionLoop} holds
 * what its clients share.
 */
@NullMarked
package io.penstock.core.session;

import org.jspecify.annotations.NullMarked;
