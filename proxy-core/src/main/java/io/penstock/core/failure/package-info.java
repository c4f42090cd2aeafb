/**
 * Where the causes of exceptions are found. Enters: what was thrown or completed a future. Leaves:
 * the exception that says why. On any thread.
 */
@NullMarked
package io.penstock.core.failure;

import org.jspecify.annotations.NullMarked;
