/**
 * What looks at the servers beside the data path has in common: Lettuce's resources, and a thread
 * of its own ({@link io.penstock.core.control.TopologyThread}), on which all of it runs.
 */
@NullMarked
package io.penstock.core.control;

import org.jspecify.annotations.NullMarked;
