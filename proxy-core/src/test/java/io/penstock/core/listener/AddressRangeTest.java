package io.penstock.core.listener;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.util.NetUtil;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressRangeTest {

  @ParameterizedTest
  @CsvSource({
    "10.0.0.0/8, 10.255.0.1, true",
    "10.0.0.0/8, 11.0.0.0, false",
    "10.1.2.3/8, 10.0.0.1, true",
    "10.0.0.7, 10.0.0.7, true",
    "10.0.0.7, 10.0.0.8, false",
    "0.0.0.0/0, 203.0.113.9, true",
    "0.0.0.0/0, ::1, false",
    "::/0, ::1, true",
    "::/0, 10.0.0.1, false",
    "fd00::/8, fdff::1, true",
    "fd00::/8, fe80::1, false",
    "::1, ::1, true",
  })
  void containsItsAddresses(String range, String address, boolean expected) {
    InetAddress inet =
        Objects.requireNonNull(NetUtil.createInetAddressFromIpAddressString(address));
    assertThat(AddressRange.parse(range).contains(inet)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({"10.0.0.0/8, true", "11.0.0.0/8, false", "::/0, false"})
  void mappedAddressesAreThoseOfIpv4(String range, boolean expected) throws UnknownHostException {
    byte[] mapped = new byte[16];
    mapped[10] = mapped[11] = (byte) 0xff;
    mapped[12] = 10;
    InetAddress inet = Inet6Address.getByAddress(null, mapped, -1);
    assertThat(AddressRange.parse(range).contains(inet)).isEqualTo(expected);
  }

  @ParameterizedTest
  @CsvSource({
    "'', no IP address",
    "localhost, no IP address",
    "10.0.0/8, no IP address",
    "fe80::1%eth0, no IP address",
    "10.0.0.0/33, between 0 and 32",
    "10.0.0.0/-1, between 0 and 32",
    "10.0.0.0/, between 0 and 32",
    "10.0.0.0/8/8, between 0 and 32",
    "::ffff:10.0.0.0/104, between 0 and 32",
    "::/129, between 0 and 128",
  })
  void anythingElseIsRejected(String text, String reason) {
    assertThatThrownBy(() -> AddressRange.parse(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }
}
