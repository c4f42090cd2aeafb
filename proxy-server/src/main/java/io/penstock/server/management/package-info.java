/**
 * Keeps the management port answering probes under any other load. The number and the duration of
 * connections are limited, requests that no endpoint serves are rejected early, and some threads
 * are reserved for health.
 *
 * <p>Tomcat's acceptor, its request threads and its timer use {@code Connections}.
 */
@NullMarked
package io.penstock.server.management;

import org.jspecify.annotations.NullMarked;
