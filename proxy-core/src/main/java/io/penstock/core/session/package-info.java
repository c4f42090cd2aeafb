/**
 * One client connection, from bytes to bytes. {@link io.penstock.core.session.Session} reads
 * requests and has its {@code Intake} route each and give it to the handler of its plan: the rooms
 * {@code forward}, {@code transaction}, {@code blocking}, {@code replication}, {@code subscribe}
 * and {@code answer}. It implements the interfaces by which these know their client.
 *
 * <p>Everything runs on the client's event loop, and {@link io.penstock.core.session.SessionLoop}
 * holds what its clients share.
 */
@NullMarked
package io.penstock.core.session;

import org.jspecify.annotations.NullMarked;
