package io.penstock.server.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.listener.ListenAddress;
import java.io.IOException;
import java.net.BindException;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class ListenExceptionTest {

  private static ListenException of(Throwable cause) {
    var address = new ListenAddress.Tcp("nosuch.host", 6380);
    return new ListenException(address, cause, "penstock."::concat);
  }

  @Test
  void anUnknownHostNameIsNotAnAddressOfThisMachine() {
    ListenException failure = of(new CompletionException(new UnresolvedAddressException()));

    assertThat(failure.reason()).isEqualTo(ListenException.Reason.NO_SUCH_ADDRESS);
    assertThat(failure)
        .hasMessage(
            "Port 6380 of nosuch.host (penstock.port) cannot be opened:"
                + " this machine does not have that address.");
  }

  @Test
  void theReasonComesFromTheOperatingSystemsMessage() {
    assertThat(of(new BindException("Address already in use")).reason())
        .isEqualTo(ListenException.Reason.IN_USE);
    assertThat(of(new BindException("Cannot assign requested address")).reason())
        .isEqualTo(ListenException.Reason.NO_SUCH_ADDRESS);
    assertThat(of(new BindException("Permission denied")).reason())
        .isEqualTo(ListenException.Reason.NOT_ALLOWED);
  }

  @Test
  void anExceptionWithoutAMessageIsShownByItsType() {
    assertThat(of(new IOException())).hasMessageContaining("cannot be opened: java.io.IOException");
  }

  @Test
  void aUnixSocketIsNamedWithItsKey() {
    var address = new ListenAddress.Unix("/run/penstock.sock");
    var failure =
        new ListenException(
            address, new BindException("Address already in use"), "penstock."::concat);

    assertThat(failure.reason()).isEqualTo(ListenException.Reason.IN_USE);
    assertThat(failure)
        .hasMessage("Unix socket /run/penstock.sock (penstock.path) is in use by another process.");
  }
}
