/** Tests of reloads. */
@NullMarked
package io.penstock.server.reload;

import org.jspecify.annotations.NullMarked;
