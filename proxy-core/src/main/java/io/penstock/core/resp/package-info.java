/**
 * The wire format and nothing else: the bounds of requests and replies in RESP2 and RESP3, and
 * inline commands. Bytes enter as borrowed {@link io.netty.buffer.ByteBuf}s, positions leave; no
 * command is known by name here. Everything is confined to one event loop.
 */
@NullMarked
package io.penstock.core.resp;

import org.jspecify.annotations.NullMarked;
