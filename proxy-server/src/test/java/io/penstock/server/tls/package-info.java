/** Tests of health and topology over HTTP. */
@NullMarked
package io.penstock.server.tls;

import org.jspecify.annotations.NullMarked;
