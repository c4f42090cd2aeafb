/**
 * The command line: arguments enter before Spring starts, an action leaves.
 *
 * <p>{@link io.penstock.server.cli.CommandLine} parses the arguments and rejects those that Spring
 * Boot would ignore. {@code --help} and {@code --version} print a text; {@code --check} reads the
 * configuration as a start does and prints a summary; {@code compare} reads it and compares two of
 * its upstreams. All on the main thread.
 */
@NullMarked
package io.penstock.server.cli;

import org.jspecify.annotations.NullMarked;
