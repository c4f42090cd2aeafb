/**
 * Reads the configuration.
 *
 * <p>{@link io.penstock.server.config.PropertiesReader} reads {@code penstock.*}, or the same tree
 * under {@code camellia-redis-proxy.*}, from every source of Spring (files, environment variables,
 * arguments) into {@link io.penstock.server.config.PenstockProperties}. An error is a {@link
 * io.penstock.server.config.ConfigurationFault}, which names the key as it was written. The package
 * {@code mapping} maps what was read. Everything runs on one thread, at start or at a reload.
 */
@NullMarked
package io.penstock.server.config;

import org.jspecify.annotations.NullMarked;
