/**
 * The queue of each copy of an upstream. What a copy gets enters from any event loop, in order, and
 * is sent on the copy's loop. This room knows how far the copy has come, has keys that differ
 * copied again, and says when it lacks something.
 */
@NullMarked
package io.penstock.core.copies;

import org.jspecify.annotations.NullMarked;
