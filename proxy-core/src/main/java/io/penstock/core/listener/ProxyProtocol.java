package io.penstock.core.listener;

import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.List;

/**
 * The PROXY protocol at a listener: each connection begins with a header of version 1 or 2, in
 * which a load balancer tells the address of its client. <a
 * href="https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt">The specification</a> asks to
 * accept it from known senders only, and never to guess whether there is one.
 *
 * @param from addresses that may connect, and must send the header; all others are refused
 * @param timeout longest time from the connect to the end of the header
 */
public record ProxyProtocol(List<AddressRange> from, Duration timeout) {

  public ProxyProtocol {
    from = List.copyOf(from);
  }

  boolean trusts(SocketAddress peer) {
    return peer instanceof InetSocketAddress address
        && from.stream().anyMatch(range -> range.contains(address.getAddress()));
  }
}
