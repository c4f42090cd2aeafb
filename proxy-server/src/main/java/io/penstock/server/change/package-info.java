/**
 * How a change of a configuration key takes effect while Penstock runs, and what has the
 * configuration read again. Values for the package {@code config}.
 */
@NullMarked
package io.penstock.server.change;

import org.jspecify.annotations.NullMarked;
