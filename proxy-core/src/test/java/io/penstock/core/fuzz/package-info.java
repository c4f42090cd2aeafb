/**
 * What fuzz targets share. A target is a class with {@code fuzzerTestOneInput}, in the package of
 * what it tests; it throws when something is wrong with what became of its input. {@code
 * proxy-bench/fuzz} takes the targets from this module's test jar and runs them.
 */
@NullMarked
package io.penstock.core.fuzz;

import org.jspecify.annotations.NullMarked;
