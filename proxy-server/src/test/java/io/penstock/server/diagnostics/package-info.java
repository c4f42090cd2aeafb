/** Tests of what the user reads when Penstock cannot start. */
@NullMarked
package io.penstock.server.diagnostics;

import org.jspecify.annotations.NullMarked;
