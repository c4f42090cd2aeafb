/**
 * Messages for a failed start: exceptions of the other packages enter, a description and an action
 * leave. On the main thread, after the failure.
 */
@NullMarked
package io.penstock.server.diagnostics;

import org.jspecify.annotations.NullMarked;
