package io.penstock.core.tls;

import io.netty.handler.ssl.SslContext;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;

/**
 * Keys and trusted certificates with a name. When they are replaced, new connections use the new
 * ones, and open connections go on with what they have. Safe from any thread; one change at a time.
 */
public final class TlsBundle {

  private final String name;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<WeakReference<Holder>> users = new ArrayList<>(); // guarded by the lock
  private Content content; // guarded by the lock

  public TlsBundle(String name, TlsMaterial material) {
    this.name = name;
    this.content = new Content(material, new HashMap<>());
  }

  public String name() {
    return name;
  }

  /** Returns the content that new connections use. */
  public Content content() {
    lock.lock();
    try {
      return content;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Prepares other content. Connections use it after {@link Content#commit}; what is never
   * committed has no effect.
   *
   * @throws InvalidTlsException if it cannot be used where the bundle is used
   */
  public Content prepare(TlsMaterial other) {
    lock.lock();
    try {
      Map<Holder, SslContext> prepared = new HashMap<>();
      present().forEach(user -> prepared.put(user, user.make(other)));
      return new Content(other, prepared);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Replaces the content, for new connections.
   *
   * @throws InvalidTlsException if it cannot be used everywhere; nothing is changed then
   */
  public void replace(TlsMaterial other) {
    prepare(other).commit();
  }

  private void commit(Content next) {
    lock.lock();
    try {
      next.prepared.forEach((user, context) -> user.current = context);
      next.prepared.clear();
      next.added.forEach(user -> users.add(new WeakReference<>(user)));
      next.added.clear();
      content = next;
    } finally {
      lock.unlock();
    }
  }

  private void add(Content used, Holder user) {
    lock.lock();
    try {
      if (content == used) {
        present(); // forgets the others
        users.add(new WeakReference<>(user));
      } else {
        used.added.add(user);
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns what uses the bundle, and forgets what is not used any more. */
  private List<Holder> present() {
    users.removeIf(user -> user.get() == null);
    return users.stream().map(WeakReference::get).filter(Objects::nonNull).toList();
  }

  /** What a bundle contains, or will contain. */
  public final class Content {

    private final TlsMaterial material;
    private final Map<Holder, SslContext> prepared; // for its users until then; guarded by the lock
    private final List<Holder> added = new ArrayList<>(); // users of this; guarded by the lock

    private Content(TlsMaterial material, Map<Holder, SslContext> prepared) {
      this.material = material;
      this.prepared = prepared;
    }

    public TlsBundle bundle() {
      return TlsBundle.this;
    }

    /** Lets new connections use it, everywhere. Does nothing if they do already. */
    public void commit() {
      TlsBundle.this.commit(this);
    }

    /**
     * Returns the context for new connections, which {@code factory} makes of this content, and of
     * later content when it is committed.
     *
     * @throws InvalidTlsException if this content cannot be used
     */
    Supplier<SslContext> contexts(Factory factory) {
      var made = new Holder(factory, material);
      add(this, made);
      return made;
    }
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
