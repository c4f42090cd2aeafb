package io.penstock.core.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.haproxy.HAProxyProtocolVersion;
import io.netty.util.NetUtil;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * The PROXY protocol's header that names a client to its server: where the client connects from,
 * and the address of Penstock that it has connected to.
 */
final class ClientHeader {

  private static final byte[] SIGNATURE = {
    0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A
  };
  private static final int VERSION_2_PROXY = 0x21;
  private static final int VERSION_2_LOCAL = 0x20;
  private static final int TCP4 = 0x11;
  private static final int TCP6 = 0x21;
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;

  private ClientHeader() {}

  /**
   * Returns the header. It names no addresses if the client has none, as with a Unix socket.
   *
   * @param client null for Penstock's own connections
   */
  static ByteBuf of(
      HAProxyProtocolVersion version,
      @Nullable SocketAddress client,
      @Nullable SocketAddress listener) {
    return client instanceof InetSocketAddress from && listener instanceof InetSocketAddress to
        ? (version == HAProxyProtocolVersion.V1 ? line(from, to) : binary(from, to))
        : (version == HAProxyProtocolVersion.V1 ? text("PROXY UNKNOWN\r\n") : local());
  }

  private static boolean isV4(InetSocketAddress from, InetSocketAddress to) {
    return from.getAddress() instanceof Inet4Address && to.getAddress() instanceof Inet4Address;
  }

  private static ByteBuf line(InetSocketAddress from, InetSocketAddress to) {
    boolean v4 = isV4(from, to);
    return text(
        "PROXY %s %s %s %d %d\r\n"
            .formatted(
                v4 ? "TCP4" : "TCP6",
                text(from.getAddress(), v4),
                text(to.getAddress(), v4),
                from.getPort(),
                to.getPort()));
  }

  private static String text(InetAddress address, boolean v4) {
    String text = NetUtil.toAddressString(address);
    return v4 || !(address instanceof Inet4Address) ? text : "::ffff:" + text;
  }

  private static ByteBuf text(String header) {
    return Unpooled.copiedBuffer(header, StandardCharsets.US_ASCII);
  }

  private static ByteBuf local() {
    return Unpooled.buffer()
        .writeBytes(SIGNATURE)
        .writeByte(VERSION_2_LOCAL)
        .writeByte(0)
        .writeShort(0);
  }

  private static ByteBuf binary(InetSocketAddress from, InetSocketAddress to) {
    boolean v4 = isV4(from, to);
    int length = 2 * (v4 ? IPV4_BYTES : IPV6_BYTES) + 2 * Short.BYTES;
    ByteBuf header =
        Unpooled.buffer()
            .writeBytes(SIGNATURE)
            .writeByte(VERSION_2_PROXY)
            .writeByte(v4 ? TCP4 : TCP6)
            .writeShort(length);
    write(from.getAddress(), v4, header);
    write(to.getAddress(), v4, header);
    return header.writeShort(from.getPort()).writeShort(to.getPort());
  }

  private static void write(InetAddress address, boolean v4, ByteBuf into) {
    if (!v4 && address instanceof Inet4Address) {
      into.writeZero(IPV6_BYTES - IPV4_BYTES - 2).writeShort(0xFFFF); // mapped to IPv6
    }
    into.writeBytes(address.getAddress());
  }
}
