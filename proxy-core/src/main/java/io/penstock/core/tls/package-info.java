/**
 * TLS on both sides: from keys and trusted certificates, which may be replaced while connections
 * use them, to the handlers of one connection's pipeline. Knows nothing about Redis.
 */
@NullMarked
package io.penstock.core.tls;

import org.jspecify.annotations.NullMarked;
