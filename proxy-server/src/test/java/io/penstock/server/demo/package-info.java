/** Tests of the embedded cluster, with real servers. */
@NullMarked
package io.penstock.server.demo;

import org.jspecify.annotations.NullMarked;
