package io.penstock.testkit.cluster;

import java.nio.file.Path;

/**
 * PEM files of one side of a connection.
 *
 * @param certificate the own certificate
 * @param key its private key
 * @param authority the certificate that the other side's must be issued by
 */
public record TlsFiles(Path certificate, Path key, Path authority) {}
