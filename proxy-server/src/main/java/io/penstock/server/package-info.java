/**
 * The Spring Boot application around the proxy: it reads the settings, starts the proxy and stops
 * it.
 */
@NullMarked
package io.penstock.server;

import org.jspecify.annotations.NullMarked;
