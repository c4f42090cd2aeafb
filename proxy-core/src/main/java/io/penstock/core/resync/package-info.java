/**
 * Brings a copy of an upstream level with its primary, and compares the two, key by key, while
 * clients write. Keys enter from {@code SCAN} at both sides; those that must be copied leave
 * through {@link io.penstock.core.copies.Repairs}, in their place among the writes. Each copy has
 * one event loop on which all of this happens; {@link io.penstock.core.resync.CopyJobs} may be
 * called from any thread.
 */
@NullMarked
package io.penstock.core.resync;

import org.jspecify.annotations.NullMarked;
