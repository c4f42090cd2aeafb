/**
 * The Spring Boot application around the proxy. It reads the settings, and starts and stops the
 * proxy.
 */
@NullMarked
package io.penstock.server;

import org.jspecify.annotations.NullMarked;
