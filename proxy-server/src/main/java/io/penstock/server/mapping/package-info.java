/**
 * Maps the configuration to the settings of the core: {@link
 * io.penstock.server.config.PenstockProperties} enter, {@link
 * io.penstock.core.assembly.ProxySettings} leave {@link
 * io.penstock.server.mapping.SettingsMapping}. The package {@code url} reads resource URLs. What
 * does not fit together is rejected here, with the key. Pure functions.
 */
@NullMarked
package io.penstock.server.mapping;

import org.jspecify.annotations.NullMarked;
