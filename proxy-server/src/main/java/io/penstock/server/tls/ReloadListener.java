package io.penstock.server.tls;

/**
 * Learns that the files of a bundle have changed. Called on the thread of Spring Boot's file
 * watcher, after the content was replaced or rejected.
 */
@FunctionalInterface
public interface ReloadListener {

  /**
   * A bundle's files have changed.
   *
   * @param bundle name of the bundle
   * @param applied whether new connections use the new content; false if it cannot be used, and the
   *     earlier content stays
   */
  void onReload(String bundle, boolean applied);
}
