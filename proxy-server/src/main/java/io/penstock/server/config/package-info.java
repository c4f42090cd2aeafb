/**
 * Reads the configuration and maps it to the settings of the core.
 *
 * <p>{@link io.penstock.server.config.PropertiesReader} reads {@code penstock.*}, or the same tree
 * under {@code camellia-redis-proxy.*}, from every source of Spring (files, environment variables,
 * arguments) into {@link io.penstock.server.config.PenstockProperties}; {@link
 * io.penstock.server.config.SettingsMapping} maps it to {@link io.penstock.core.ProxySettings}. The
 * package {@code url} reads resource URLs. An error is a {@link
 * io.penstock.server.config.ConfigurationFault}. {@link
 * io.penstock.server.config.StartConfiguration} is the result, read before Spring creates any bean.
 * Everything runs on the main thread, at start.
 */
@NullMarked
package io.penstock.server.config;

import org.jspecify.annotations.NullMarked;
