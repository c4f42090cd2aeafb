/**
 * Shadow reads: a share of the reads that clients of an upstream send goes to another upstream too.
 * Reads enter as clients' exchanges are made, and replies as these are answered. What leaves are
 * counts, durations and log lines, never a reply. Everything runs on one event loop.
 */
@NullMarked
package io.penstock.core.shadow;

import org.jspecify.annotations.NullMarked;
