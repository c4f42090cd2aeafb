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
 * Names in this JVM whose addresses tests change, as a name service's would; all others are looked
 * up as ever. Addresses are kept for a second.
 */
public final class TestNameResolver extends InetAddressResolverProvider {

  private static final Map<String, byte[]> ADDRESSES = new ConcurrentHashMap<>();

  /** Found by the JVM. */
  public TestNameResolver() {
    Security.setProperty("networkaddress.cache.ttl", "1"); // read when a name is kept first
  }

  /** From now on, or a second later, {@code name} is at {@code address}. */
  static void put(String name, String address) throws UnknownHostException {
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
