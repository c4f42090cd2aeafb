package io.penstock.server.tls;

/**
 * Learns what becomes of changed bundles. Called on the thread of Spring Boot's file watcher or of
 * a reload, one at a time.
 */
public interface ReloadListener {

  /**
   * A bundle's files have changed.
   *
   * @param bundle name of the bundle
   * @param applied whether new connections use the new content; false if it cannot be used, and the
   *     earlier content stays
   */
  void onReload(String bundle, boolean applied);

  /**
   * New connections use what the files of a bundle have, or none uses the bundle any more: no
   * rejected content is left.
   */
  void onCurrent(String bundle);

  /** The configuration has no bundle of this name any more. */
  void onRemoved(String bundle);
}
