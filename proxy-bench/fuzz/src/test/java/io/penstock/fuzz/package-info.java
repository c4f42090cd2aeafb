/**
 * Fuzzing: what runs the targets, and what they share. A target is a class with {@code
 * fuzzerTestOneInput}, in the package of what it tests; it throws when something is wrong with what
 * became of its input.
 */
@NullMarked
package io.penstock.fuzz;

import org.jspecify.annotations.NullMarked;
