package io.penstock.server.it;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.net.spi.InetAddressResolver;
import java.net.spi.InetAddressResolverProvider;
import java.security.Security;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Host names in this JVM whose addresses tests can change, like those of a name service. All other
 * names are resolved as usual. Addresses are cached for one second.
 */
public final class TestNameResolver extends InetAddressResolverProvider {

  private static final Map<String, byte[]> ADDRESSES = new ConcurrentHashMap<>();

  /** Called by the JVM, which finds the class as a service. */
  public TestNameResolver() {
    Security.setProperty("networkaddress.cache.ttl", "1"); // read when the first name is cached
  }

  /** Makes {@code name} resolve to {@code address}, within one second. */
  public static void put(String name, String address) throws UnknownHostException {
    ADDRESSES.put(name, InetAddress.getByName(address).getAddress());
  }

  @Override
  public String name() {
    return "names that move";
  }

  @Override
  public InetAddressResolver get(Configuration configuration) {
    InetAddressResolver builtin = configuration.builtinResolver();
    return new InetAddressResolver() {
      @Override
      public Stream<InetAddress> lookupByName(String host, LookupPolicy policy)
          throws UnknownHostException {
        byte[] address = ADDRESSES.get(host);
        return address == null
            ? builtin.lookupByName(host, policy)
            : Stream.of(InetAddress.getByAddress(host, address));
      }

      @Override
      public String lookupByAddress(byte[] address) throws UnknownHostException {
        return builtin.lookupByAddress(address);
      }
    };
  }
}
