package io.penstock.core.listener;

import io.netty.handler.ipfilter.IpFilterRuleType;
import io.netty.handler.ipfilter.IpSubnetFilterRule;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

/** A range of IP addresses in CIDR notation, or one address. Immutable. */
public final class AddressRange {

  private final String text;
  private final IpSubnetFilterRule rule;

  private AddressRange(String text, IpSubnetFilterRule rule) {
    this.text = text;
    this.rule = rule;
  }

  /**
   * Reads {@code 10.0.0.0/8}, {@code fd00::/8} or an address. Names of hosts are not resolved.
   *
   * @throws IllegalArgumentException if it is something else; the message is the reason
   */
  public static AddressRange parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    byte[] bytes =
        address.indexOf('%') < 0 ? NetUtil.createByteArrayFromIpAddressString(address) : null;
    if (bytes == null) {
      throw new IllegalArgumentException("'" + address + "' is no IP address");
    }
    InetAddress inet = inet(bytes);
    int most = inet.getAddress().length * Byte.SIZE;
    int prefix = slash < 0 ? most : prefix(text.substring(slash + 1));
    if (prefix < 0 || prefix > most) {
      throw new IllegalArgumentException(
          "the prefix length of '" + text + "' is not between 0 and " + most);
    }
    return new AddressRange(text, new IpSubnetFilterRule(inet, prefix, IpFilterRuleType.ACCEPT));
  }

  /** Returns -1 for what is no number. */
  private static int prefix(String digits) {
    return digits.matches("\\d{1,3}") ? Integer.parseInt(digits) : -1;
  }

  /** IPv4 addresses that are mapped to IPv6, as sockets of {@code ::} report them, become IPv4. */
  private static InetAddress inet(byte[] bytes) {
    try {
      return InetAddress.getByAddress(bytes);
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("not the bytes of an address", e);
    }
  }

  /** Returns whether the address is one of this range. */
  boolean contains(InetAddress address) {
    return rule.matches(new InetSocketAddress(inet(address.getAddress()), 0));
  }

  /** As it was written. */
  @Override
  public String toString() {
    return text;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof AddressRange range && range.text.equals(text);
  }

  @Override
  public int hashCode() {
    return text.hashCode();
  }
}
