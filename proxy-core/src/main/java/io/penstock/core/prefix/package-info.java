/**
 * Puts a prefix in front of each key of a request, and takes it off the keys of its reply. Confined
 * to the client's loop.
 */
@NullMarked
package io.penstock.core.prefix;

import org.jspecify.annotations.NullMarked;
