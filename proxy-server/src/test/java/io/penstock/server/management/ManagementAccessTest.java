package io.penstock.server.management;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import org.apache.catalina.connector.Request;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ManagementAccessTest {

  private static Request request(String method, String address, String... headers) {
    Request request = mock(Request.class);
    when(request.getMethod()).thenReturn(method);
    when(request.getRemoteAddr()).thenReturn(address);
    for (int i = 0; i < headers.length; i += 2) {
      when(request.getHeader(headers[i])).thenReturn(headers[i + 1]);
    }
    return request;
  }

  @Test
  void everyClientMayRead() {
    ManagementAccess access = new ManagementAccess("t0ken");

    assertThat(access.check(request("GET", "10.0.0.1"))).isNull();
    assertThat(access.check(request("HEAD", "10.0.0.1"))).isNull();
  }

  @ParameterizedTest
  @CsvSource({"127.0.0.1,", "127.1.2.3,", "::1,", "10.0.0.1, NOT_LOCAL", "fe80::1, NOT_LOCAL"})
  void withoutATokenOnlyThisMachineMayChange(String address, Rejection expected) {
    assertThat(new ManagementAccess(null).check(request("POST", address))).isEqualTo(expected);
  }

  /** A proxy on this machine forwards requests of others; a browser sends them for any page. */
  @ParameterizedTest
  @ValueSource(
      strings = {"X-Forwarded-For", "Forwarded", "X-Real-IP", "Via", "Origin", "Sec-Fetch-Site"})
  void whatIsSentForOthersIsNotOfThisMachine(String header) {
    assertThat(
            new ManagementAccess(null).check(request("DELETE", "127.0.0.1", header, "127.0.0.1")))
        .isEqualTo(Rejection.NOT_LOCAL);
  }

  @ParameterizedTest
  @CsvSource({
    "Bearer t0ken,",
    "bearer  t0ken,",
    "Bearer t0ke, TOKEN",
    "Bearer t0ken1, TOKEN",
    "Basic t0ken, TOKEN",
    "t0ken, TOKEN",
    ", TOKEN"
  })
  void withATokenEveryRequestNeedsIt(String header, Rejection expected) {
    ManagementAccess access = new ManagementAccess("t0ken");

    assertThat(access.check(request("POST", "10.0.0.1", "Authorization", header)))
        .isEqualTo(expected);
    assertThat(access.check(request("POST", "127.0.0.1", "Authorization", header)))
        .isEqualTo(expected);
  }

  @Test
  void anAddressCanTryFewTokens() {
    ManagementAccess access = new ManagementAccess("t0ken", () -> 0);
    Request right = request("POST", "10.0.0.1", "Authorization", "Bearer t0ken");
    for (int i = 0; i < 60; i++) {
      Request guess = request("POST", "10.0.0.1", "Authorization", "Bearer guess" + i);
      assertThat(access.check(guess)).isEqualTo(i < 50 ? Rejection.TOKEN : Rejection.TOKENS);
    }

    assertThat(access.check(right)).isEqualTo(Rejection.TOKENS);
    assertThat(access.check(request("POST", "10.0.0.2", "Authorization", "Bearer t0ken"))).isNull();
    assertThat(access.check(request("GET", "10.0.0.1", "Authorization", "Bearer guess"))).isNull();
  }

  @Test
  void theTokenChanges() {
    ManagementAccess access = new ManagementAccess("old");
    Request request = request("POST", "10.0.0.1", "Authorization", "Bearer new");
    assertThat(access.check(request)).isEqualTo(Rejection.TOKEN);

    access.require("new");

    assertThat(access.check(request)).isNull();
  }
}
