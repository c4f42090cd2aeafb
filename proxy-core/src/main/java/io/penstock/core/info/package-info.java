/**
 * The text of {@code INFO}: figures enter, text leaves, on whichever thread asks. What Redis's
 * section of the same name has and Penstock cannot say is left out, not made up.
 */
@NullMarked
package io.penstock.core.info;

import org.jspecify.annotations.NullMarked;
