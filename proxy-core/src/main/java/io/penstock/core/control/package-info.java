/**
 * What all queries to nodes outside the data path share: Lettuce's resources, and the thread that
 * handles the answers ({@link io.penstock.core.control.TopologyThread}).
 */
@NullMarked
package io.penstock.core.control;

import org.jspecify.annotations.NullMarked;
