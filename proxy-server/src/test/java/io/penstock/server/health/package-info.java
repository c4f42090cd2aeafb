/** Tests of health and topology over HTTP. */
@NullMarked
package io.penstock.server.health;

import org.jspecify.annotations.NullMarked;
