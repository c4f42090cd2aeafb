/**
 * Certificates for servers and clients with TLS, made when they are needed.
 *
 * <p>Only for tests: penstock.jar leaves this package out, and the library that makes certificates.
 */
@NullMarked
package io.penstock.testkit.tls;

import org.jspecify.annotations.NullMarked;
