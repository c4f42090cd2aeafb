/** Tests of the messages for a failed start. */
@NullMarked
package io.penstock.server.diagnostics;

import org.jspecify.annotations.NullMarked;
