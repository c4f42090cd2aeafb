package io.penstock.server.change;

import io.penstock.core.assembly.ProxySettings;

/** A bean that follows the settings of the proxy. */
public interface SettingsListener {

  /** Called on the thread of the reload when other settings are in force. Must not throw. */
  void settingsInForce(ProxySettings settings);
}
