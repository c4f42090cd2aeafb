/**
 * Writes results: JSON for programs, Markdown and SVG charts for readers, each with the facts about
 * machine and versions.
 */
@NullMarked
package io.penstock.bench.report;

import org.jspecify.annotations.NullMarked;
