package io.penstock.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.core.topology.ClusterUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceUrlTest {

  @Test
  void readsEverySeedOfACluster() {
    assertThat(ResourceUrl.parse("redis-cluster://127.0.0.1:7000, redis.example:7001,[::1]:7002"))
        .isEqualTo(
            new ClusterUpstreamSettings(
                List.of(
                    new Endpoint("127.0.0.1", 7000),
                    new Endpoint("redis.example", 7001),
                    new Endpoint("::1", 7002)),
                null));
  }

  @Test
  void removesDuplicateSeeds() {
    assertThat(ResourceUrl.parse("redis-cluster://a:1,b:2,a:1"))
        .isEqualTo(
            new ClusterUpstreamSettings(List.of(new Endpoint("a", 1), new Endpoint("b", 2)), null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-cluster://h:1", "redis-cluster://@h:1", "redis-cluster://:@h:1"})
  void treatsAnEmptyCredentialAsNone(String url) {
    assertThat(ResourceUrl.parse(url).access().credentials()).isNull();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "redis-cluster://pw@h:1 pw",
        "redis-cluster://:pw@h:1 pw",
        "redis://:p@ss:w,rd/?@h:1 p@ss:w,rd/?",
        "redis://:a:b@h:1 a:b",
        "redis://:%40%3a%2C%25%C3%BC@h:1 @:,%ü"
      })
  void readsAPasswordOfTheDefaultUser(String url, String password) {
    assertThat(ResourceUrl.parse(url).access().credentials())
        .isEqualTo(new Credentials(null, password));
  }

  @Test
  void readsUserAndPassword() {
    assertThat(ResourceUrl.parse("redis://al%3Aice:s:e@cret@h:1").access().credentials())
        .isEqualTo(new Credentials("al:ice", "s:e@cret"));
  }

  @Test
  void readsASingleServersDatabase() {
    assertThat(ResourceUrl.parse("redis://[fe80::1%eth0]:6379?db=3"))
        .isEqualTo(new SingleUpstreamSettings(new Endpoint("fe80::1%eth0", 6379), null, 3));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          localhost:6379                  | it has no scheme
          redis-sentinel://h:1/master     | the scheme redis-sentinel:// is not supported yet
          rediss://h:1                    | the scheme rediss:// is not supported yet
          http://h:1                      | the scheme http:// is unknown
          redis-cluster://                | a host is missing
          redis-cluster://a:1,            | a host is missing
          redis-cluster://a               | a has no port
          user:s3cr://t@h:1               | it has no scheme
          ://h:1                          | it has no scheme
          redis-cluster://[::1]           | [::1] has no port
          redis-cluster://::1:7000        | an IPv6 address needs brackets
          redis-cluster://a:x             | the port of a is 'x', not a number from 1 to 65535
          redis-cluster://a:0             | the port of a is '0', not a number from 1 to 65535
          redis-cluster://a b:1           | 'a b' is not a host name or address
          redis-cluster://a:1?db=1        | a Redis Cluster URL has no parameters: a cluster has database 0 only
          redis://a:1,b:2                 | redis:// takes one server, and several are listed
          redis://a:1?timeout=1           | db is the only parameter, and ?timeout=1 is another one
          redis://a:1?db=-1               | the database is '-1', not a number from 0 to 2147483647
          redis://a:1/2                   | a:1/2 has a path
          redis://user:@a:1               | it has a user without a password
          redis://100%@a:1                | a % in the credentials is not followed by two hexadecimal digits
          redis://%ff@a:1                 | the percent-encoded credentials are not UTF-8
          """)
  void reportsWhyAUrlIsInvalid(String url, String reason) {
    assertThatExceptionOfType(ResourceUrl.InvalidUrlException.class)
        .isThrownBy(() -> ResourceUrl.parse(url))
        .withMessage(reason)
        .satisfies(refused -> assertThat(refused.fix()).isNotEmpty());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "redis://h:1 redis://h:1",
        "redis://user:s@cret@h:1 redis://***@h:1",
        "s3cret@h:1 ***@h:1",
        "redis://@h:1 redis://@h:1"
      })
  void masksCredentials(String url, String masked) {
    assertThat(ResourceUrl.masked(url)).isEqualTo(masked);
  }
}
