/**
 * Fuzzing: what runs the targets, and the targets of {@code proxy-server}. Those of {@code
 * proxy-core} are among the tests of the rooms that they are about.
 */
@NullMarked
package io.penstock.fuzz;

import org.jspecify.annotations.NullMarked;
