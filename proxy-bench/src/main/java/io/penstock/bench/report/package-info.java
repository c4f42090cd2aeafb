/**
 * Writes what was measured: JSON for programs, Markdown and SVG charts for readers, and in all of
 * them where it comes from.
 */
@NullMarked
package io.penstock.bench.report;

import org.jspecify.annotations.NullMarked;
