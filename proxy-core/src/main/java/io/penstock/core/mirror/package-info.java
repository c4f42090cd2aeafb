/**
 * What the copies of an upstream with mirrored writes get for each call that its primary has run. A
 * request enters before it is sent, its reply enters when it has come, an {@link
 * io.penstock.core.mirror.Effect} leaves. Nothing is sent here: who sends, queues and orders
 * effects is another room's business. {@code handling.table} says what each command's copies get
 * ({@link io.penstock.core.spec.Mirrored}); this room does it.
 *
 * <p>Everything is a pure function of bytes, on the event loop that has the request. A call that is
 * copied as it is allocates nothing here.
 */
@NullMarked
package io.penstock.core.mirror;

import org.jspecify.annotations.NullMarked;
