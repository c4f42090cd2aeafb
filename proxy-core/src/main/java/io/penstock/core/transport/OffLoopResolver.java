package io.penstock.core.transport;

import io.netty.resolver.AddressResolver;
import io.netty.resolver.AddressResolverGroup;
import io.netty.resolver.InetNameResolver;
import io.netty.util.NetUtil;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.Promise;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;

/**
 * Resolves host names as the JVM does (hosts file, name service, its cache), but on a virtual
 * thread, since a slow name server must not block an event loop. Literal addresses are resolved
 * immediately.
 */
public final class OffLoopResolver extends AddressResolverGroup<InetSocketAddress> {

  public static final OffLoopResolver INSTANCE = new OffLoopResolver();

  private OffLoopResolver() {}

  @Override
  protected AddressResolver<InetSocketAddress> newResolver(EventExecutor executor) {
    return new NameResolver(executor).asAddressResolver();
  }

  private static final class NameResolver extends InetNameResolver {

    NameResolver(EventExecutor executor) {
      super(executor);
    }

    @Override
    protected void doResolve(String host, Promise<InetAddress> promise) {
      resolve(host, () -> InetAddress.getByName(host), promise);
    }

    @Override
    protected void doResolveAll(String host, Promise<List<InetAddress>> promise) {
      resolve(host, () -> List.of(InetAddress.getAllByName(host)), promise);
    }

    private interface LookUp<T> {
      T run() throws UnknownHostException;
    }

    private static <T> void resolve(String host, LookUp<T> lookUp, Promise<T> promise) {
      Runnable work =
          () -> {
            try {
              promise.trySuccess(lookUp.run());
            } catch (UnknownHostException _) { // its message may be the name only
              promise.tryFailure(
                  new UnknownHostException("the host name " + host + " cannot be resolved"));
            }
          };
      if (NetUtil.isValidIpV4Address(host) || NetUtil.isValidIpV6Address(host)) {
        work.run();
      } else {
        Thread.ofVirtual().name("penstock-resolve-" + host).start(work);
      }
    }
  }
}
