/**
 * Penstock's proxy as a library.
 *
 * <p>A {@link io.penstock.core.Proxy} has event loops and services; {@code Service} assembles the
 * rooms below from {@link io.penstock.core.ProxySettings}, and is the only class that knows all of
 * them. A command's way: {@code listener} → {@code session} → {@code dispatch}, {@code pubsub} →
 * {@code route}, {@code backend} → {@code command}, {@code cluster} → {@code resp}.
 */
@NullMarked
package io.penstock.core;

import org.jspecify.annotations.NullMarked;
