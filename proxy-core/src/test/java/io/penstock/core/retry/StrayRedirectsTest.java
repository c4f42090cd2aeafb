package io.penstock.core.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.upstream.RetryablePrefix;
import org.junit.jupiter.api.Test;

class StrayRedirectsTest {

  private static final long MINUTE = 60_000_000_000L;

  private final StrayRedirects redirects = new StrayRedirects("");

  @Test
  void aRedirectIsLoggedOnceAMinute() {
    assertThat(redirects.isDue(RetryablePrefix.MOVED, 7)).isTrue();
    assertThat(redirects.isDue(RetryablePrefix.MOVED, 8)).isFalse();
    assertThat(redirects.isDue(RetryablePrefix.ASK, 6 + MINUTE)).isFalse();
    assertThat(redirects.isDue(RetryablePrefix.ASK, 7 + MINUTE)).isTrue();
    assertThat(redirects.isDue(RetryablePrefix.MOVED, 8 + MINUTE)).isFalse();
  }

  @Test
  void otherErrorsAreNotLogged() {
    assertThat(redirects.isDue(null, 7)).isFalse();
    assertThat(redirects.isDue(RetryablePrefix.READONLY, 7)).isFalse();
    assertThat(redirects.isDue(RetryablePrefix.CLUSTERDOWN, 7)).isFalse();
  }
}
