/** Tests of the check for a Java that is too old. */
@NullMarked
package io.penstock.server.launch;

import org.jspecify.annotations.NullMarked;
