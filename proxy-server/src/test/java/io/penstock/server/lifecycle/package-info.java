/** Tests of the whole application, started and stopped in front of real servers. */
@NullMarked
package io.penstock.server.lifecycle;

import org.jspecify.annotations.NullMarked;
