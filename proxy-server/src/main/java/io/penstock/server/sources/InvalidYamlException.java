package io.penstock.server.sources;

import org.yaml.snakeyaml.error.YAMLException;

/**
 * A configuration file that is not YAML. The message names the file; that of the cause contains one
 * of its lines, which may have a password.
 */
public final class InvalidYamlException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  private final YAMLException error;

  InvalidYamlException(String file, YAMLException error) {
    super(file, error);
    this.error = error;
  }

  /** Returns the name of the file. */
  public String file() {
    return String.valueOf(getMessage());
  }

  /** Returns the parser's error. */
  public YAMLException error() {
    return error;
  }
}
