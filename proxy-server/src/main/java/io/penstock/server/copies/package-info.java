/** The endpoint that resyncs copies, and compares them with their primary. */
@NullMarked
package io.penstock.server.copies;

import org.jspecify.annotations.NullMarked;
