/** Tests of what probes and people read. */
@NullMarked
package io.penstock.server.health;

import org.jspecify.annotations.NullMarked;
