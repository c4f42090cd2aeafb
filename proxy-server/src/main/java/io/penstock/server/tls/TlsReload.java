package io.penstock.server.tls;

import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;

/**
 * The bundles in force, and Spring Boot's copies of them. Spring Boot watches the files that a
 * bundle had at the start; a reload reads the files that it has then.
 */
public final class TlsReload {

  private static final Logger LOG = LoggerFactory.getLogger(TlsConfiguration.class);

  private final TlsBundles first;
  private final ObjectProvider<SslBundles> spring;
  private final ObjectProvider<SslBundleRegistry> registry;
  private final ObjectProvider<ReloadListener> listeners;
  private final Set<String> listened = new HashSet<>(); // on one thread at a time
  private final ReentrantLock changing = new ReentrantLock();
  private volatile TlsBundles current;

  TlsReload(
      TlsBundles first,
      ObjectProvider<SslBundles> spring,
      ObjectProvider<SslBundleRegistry> registry,
      ObjectProvider<ReloadListener> listeners) {
    this.first = first;
    this.spring = spring;
    this.registry = registry;
    this.listeners = listeners;
    this.current = first;
  }

  /** Returns the bundles in force. */
  public TlsBundles current() {
    return current;
  }

  /** Learns from Spring Boot when files of bundles change. */
  void listen() {
    for (String name : spring.getObject().getBundleNames()) {
      if (listened.add(name)) {
        spring.getObject().addBundleUpdateHandler(name, changed -> replace(name, changed));
      }
    }
  }

  /**
   * Runs a change of the configuration, from reading it to {@link #inForce}. Files of bundles that
   * change meanwhile are read afterwards.
   */
  public <T> T whileFilesWait(Supplier<T> change) {
    changing.lock();
    try {
      return change.get();
    } finally {
      changing.unlock();
    }
  }

  /**
   * Puts the bundles of a configuration in force that replaces the earlier one: new connections use
   * them. Within {@link #whileFilesWait}.
   */
  public void inForce(TlsBundles next) {
    next.commit();
    current = next;
  }

  /**
   * Tells metrics and Spring Boot of the bundles that have replaced others. Spring Boot tells all
   * that use its copies. Within {@link #whileFilesWait}.
   *
   * @param before the bundles that were in force
   */
  public void announce(TlsBundles before) {
    TlsBundles next = current;
    Set<String> concerned = new TreeSet<>(before.used());
    concerned.addAll(next.used());
    for (String name : concerned) {
      if (!next.names().contains(name)) {
        listeners.forEach(each -> each.onRemoved(name));
      } else if (next.changed().contains(name) && !next.isNew(name)) {
        listeners.forEach(each -> each.onReload(name, true));
      } else {
        listeners.forEach(each -> each.onCurrent(name));
      }
    }
    for (String name : next.changed()) {
      SslBundle content = next.content(name);
      if (spring.getObject().getBundleNames().contains(name)) {
        registry.getObject().updateBundle(name, content);
      } else {
        registry.getObject().registerBundle(name, content);
      }
    }
    listen();
  }

  private static void logUnusable(String name, IllegalArgumentException failure) {
    String fix = failure instanceof UnusableBundleException file ? ": " + file.fix() : "";
    LOG.error(
        "SSL bundle {} has changed and cannot be used; the earlier one stays: {}{}",
        name,
        failure.getMessage(),
        fix);
  }

  /** Called on the thread of Spring Boot's file watcher, and by {@link #announce}. */
  void replace(String name, SslBundle changed) {
    whileFilesWait(() -> {
      replaceNow(name, changed);
      return null;
    });
  }

  /** The log of Spring Boot's file watcher is off, because it adds stack traces to such lines. */
  private static void checkUnused(String name, SslBundle changed, TlsBundles bundles) {
    try {
      UsedBundle.requireReadable(changed);
    } catch (IllegalArgumentException e) {
      logUnusable(name, bundles.explain(name, e));
    }
  }

  private void replaceNow(String name, SslBundle changed) {
    TlsBundles bundles = current;
    if (!bundles.used().contains(name)) {
      checkUnused(name, changed, bundles);
      return;
    }
    if (first.names().contains(name) && !bundles.isReadAsBy(first, name)) {
      return; // a file that the bundle had at the start, and has no more
    }
    try {
      if (bundles.replace(name, changed)) {
        LOG.info("SSL bundle {} has changed; new connections use it", name);
        listeners.forEach(each -> each.onReload(name, true));
      } else {
        listeners.forEach(each -> each.onCurrent(name));
      }
    } catch (IllegalArgumentException e) {
      logUnusable(name, bundles.explain(name, e));
      listeners.forEach(each -> each.onReload(name, false));
    }
  }
}
