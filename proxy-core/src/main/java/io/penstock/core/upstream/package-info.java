/**
 * What commands are sent to, as the data path sees it: servers ({@link
 * io.penstock.core.upstream.Endpoint}), shards, and which of them serves which keys ({@link
 * io.penstock.core.upstream.Placement}). Values, without I/O; any thread may read them.
 */
@NullMarked
package io.penstock.core.upstream;

import org.jspecify.annotations.NullMarked;
