/**
 * From what the user wrote to what the core is built from.
 *
 * <p>{@link io.penstock.server.config.PropertiesReader} reads {@code penstock.*}, or the same tree
 * under {@code camellia-redis-proxy.*}, from every place Spring knows (files, environment
 * variables, arguments) into {@link io.penstock.server.config.PenstockProperties}; {@link
 * io.penstock.server.config.SettingsMapping} makes {@link io.penstock.core.ProxySettings} of it.
 * What cannot be used leaves as a {@link io.penstock.server.config.ConfigurationFault}. {@link
 * io.penstock.server.config.StartConfiguration} is all of it, read before Spring creates any bean.
 * All on the main thread, at start.
 */
@NullMarked
package io.penstock.server.config;

import org.jspecify.annotations.NullMarked;
