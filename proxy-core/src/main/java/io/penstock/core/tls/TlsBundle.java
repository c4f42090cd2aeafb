package io.penstock.core.tls;

import io.netty.handler.ssl.SslContext;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * Keys and trusted certificates with a name. When they are replaced, new connections use the new
 * ones, and open connections go on with what they have. Safe from any thread.
 */
public final class TlsBundle {

  private final String name;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<WeakReference<Holder>> users = new ArrayList<>(); // guarded by the lock
  private TlsMaterial material; // guarded by the lock

  public TlsBundle(String name, TlsMaterial material) {
    this.name = name;
    this.material = material;
  }

  public String name() {
    return name;
  }

  /**
   * Replaces the content, for new connections.
   *
   * @throws InvalidTlsException if it cannot be used everywhere; nothing is changed then
   */
  public void replace(TlsMaterial other) {
    lock.lock();
    try {
      List<Holder> present = present();
      List<SslContext> made = present.stream().map(user -> user.make(other)).toList();
      for (int i = 0; i < made.size(); i++) {
        present.get(i).current = made.get(i);
      }
      material = other;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the context for new connections, which {@code factory} makes of the content now and
   * after each change.
   *
   * @throws InvalidTlsException if the content cannot be used
   */
  Supplier<SslContext> contexts(Factory factory) {
    lock.lock();
    try {
      var made = new Holder(factory, material);
      present(); // forgets the others
      users.add(new WeakReference<>(made));
      return made;
    } finally {
      lock.unlock();
    }
  }

  /** Returns the contexts that are in use, and forgets the others. */
  private List<Holder> present() {
    users.removeIf(user -> user.get() == null);
    return users.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
  }

  /** Makes a context of a bundle's content. */
  @FunctionalInterface
  interface Factory {
    SslContext make(TlsMaterial material) throws SSLException;
  }

  private static final class Holder implements Supplier<SslContext> {

    private final Factory factory;
    private volatile SslContext current;

    Holder(Factory factory, TlsMaterial material) {
      this.factory = factory;
      this.current = make(factory, material);
    }

    SslContext make(TlsMaterial material) {
      return make(factory, material);
    }

    private static SslContext make(Factory factory, TlsMaterial material) {
      try {
        return factory.make(material);
      } catch (SSLException | RuntimeException e) {
        throw new InvalidTlsException(e);
      }
    }

    @Override
    public SslContext get() {
      return current;
    }
  }
}
