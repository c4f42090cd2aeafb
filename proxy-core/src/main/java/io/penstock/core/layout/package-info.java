/**
 * Which shard a key belongs to, computed as other proxies do it, to the byte: twemproxy's ketama,
 * modula and random, Codis, camellia, and those of predixy, Overlord, rmux and Dynomite. So a user
 * who comes from one of them finds each key where it is.
 *
 * <p>Configured servers enter ({@link io.penstock.core.layout.LayoutSettings}), a {@link
 * io.penstock.core.layout.ShardLayout} leaves. Immutable values without I/O, safe from any thread.
 * Event loops ask a layout for each key of each request; it allocates nothing then.
 */
@NullMarked
package io.penstock.core.layout;

import org.jspecify.annotations.NullMarked;
