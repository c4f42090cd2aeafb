/**
 * The text of {@code INFO}: statistics enter, text leaves, on any thread. Fields of Redis's
 * sections that Penstock does not know are left out.
 */
@NullMarked
package io.penstock.core.info;

import org.jspecify.annotations.NullMarked;
