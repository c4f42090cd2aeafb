/** Tests of what an older Java says. */
@NullMarked
package io.penstock.server.launch;

import org.jspecify.annotations.NullMarked;
