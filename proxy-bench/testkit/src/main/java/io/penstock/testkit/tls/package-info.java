/** Certificates for servers and clients with TLS, made when they are needed. */
@NullMarked
package io.penstock.testkit.tls;

import org.jspecify.annotations.NullMarked;
