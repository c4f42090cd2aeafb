/**
 * Puts a prefix in front of each key of a request, and takes it off the keys of its reply. {@code
 * KeyPrefix} is immutable, and the clients of all loops share it; what it makes for one request or
 * reply is confined to the client's loop.
 */
@NullMarked
package io.penstock.core.prefix;

import org.jspecify.annotations.NullMarked;
