/** Tests of servers and clusters, with real ones. */
@NullMarked
package io.penstock.testkit.cluster;

import org.jspecify.annotations.NullMarked;
