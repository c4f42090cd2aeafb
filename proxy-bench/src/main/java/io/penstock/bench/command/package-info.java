/**
 * The load tests' commands: each decides on targets and loads, has {@link
 * io.penstock.bench.measure.Rounds} measure them and the report written.
 */
@NullMarked
package io.penstock.bench.command;

import org.jspecify.annotations.NullMarked;
