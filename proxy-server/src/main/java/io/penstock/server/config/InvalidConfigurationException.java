package io.penstock.server.config;

/** The configuration is invalid. */
public final class InvalidConfigurationException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final transient ConfigurationFault fault;

  public InvalidConfigurationException(ConfigurationFault fault) {
    super(fault.key() + ": " + fault.reason());
    this.fault = fault;
  }

  public ConfigurationFault fault() {
    return fault;
  }
}
