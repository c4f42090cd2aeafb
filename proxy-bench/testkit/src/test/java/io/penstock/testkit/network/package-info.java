/** Tests of what stands between client and server. */
@NullMarked
package io.penstock.testkit.network;

import org.jspecify.annotations.NullMarked;
