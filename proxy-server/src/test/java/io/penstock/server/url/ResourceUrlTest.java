package io.penstock.server.url;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.penstock.core.discovery.ClusterUpstreamSettings;
import io.penstock.core.sentinel.SentinelUpstreamSettings;
import io.penstock.core.topology.ProxiesUpstreamSettings;
import io.penstock.core.topology.SingleUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.Credentials;
import io.penstock.core.upstream.Endpoint;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResourceUrlTest {

  @Test
  void readsTheParametersOfAServerAmongShards() {
    ShardUrl url =
        ResourceUrl.parseShard(
            "redis://:p@h:1?weight=2&db=3&name=a%20b&token=1,4294967295", UrlSecrets.NONE);

    assertThat(url.resource().upstream())
        .isEqualTo(new SingleUpstreamSettings(new Endpoint("h", 1), new Credentials(null, "p"), 3));
    assertThat(url.address()).isEqualTo("h:1");
    assertThat(url.weight()).isEqualTo(2);
    assertThat(url.name()).isEqualTo("a b");
    assertThat(url.tokens()).containsExactly(1L, 4294967295L);
  }

  @Test
  void aServerAmongShardsNeedsNoParameters() {
    assertThat(ResourceUrl.parseShard("redis://[::1]:11211", UrlSecrets.NONE))
        .isEqualTo(
            new ShardUrl(
                ResourceUrl.parse("redis://[::1]:11211"), "[::1]:11211", null, null, List.of()));
    assertThat(ResourceUrl.masked("redis://:p@h:1?weight=2&name=a&token=5&x=s3cret"))
        .isEqualTo("redis://***@h:1?weight=2&name=a&***");
  }

  @Test
  void readsEverySeedOfACluster() {
    assertThat(upstream("redis-cluster://127.0.0.1:7000, redis.example:7001,[::1]:7002"))
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
    assertThat(upstream("redis-cluster://a:1,b:2,a:1"))
        .isEqualTo(
            new ClusterUpstreamSettings(List.of(new Endpoint("a", 1), new Endpoint("b", 2)), null));
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis-cluster://h:1", "redis-cluster://@h:1", "redis-cluster://:@h:1"})
  void treatsAnEmptyCredentialAsNone(String url) {
    assertThat(upstream(url).access().credentials()).isNull();
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
    assertThat(upstream(url).access().credentials()).isEqualTo(new Credentials(null, password));
  }

  @Test
  void readsUserAndPassword() {
    assertThat(upstream("redis://al%3Aice:s:e@cret@h:1").access().credentials())
        .isEqualTo(new Credentials("al:ice", "s:e@cret"));
  }

  @Test
  void readsASingleServersDatabase() {
    assertThat(upstream("redis://[fe80::1%eth0]:6379?db=3"))
        .isEqualTo(new SingleUpstreamSettings(new Endpoint("fe80::1%eth0", 6379), null, 3));
  }

  @Test
  void readsASentinelUrlWithAllParameters() {
    assertThat(
            ResourceUrl.parse(
                "redis-sentinel://app:p%40w@a:1, [::1]:2/my%20master"
                    + "?db=2&sentinelUserName=w%26&sentinelPassword=s%3D%40&sentinelSSL=false"))
        .isEqualTo(
            Resource.of(
                new SentinelUpstreamSettings(
                    List.of(new Endpoint("a", 1), new Endpoint("::1", 2)),
                    "my master",
                    new Credentials("app", "p@w"),
                    2,
                    new Credentials("w&", "s=@"))));
  }

  @ParameterizedTest
  @CsvSource({
    "redis-cluster-slaves://a:1, READ_REPLICAS",
    "redis-cluster-slaves://a:1?withMaster=false, READ_REPLICAS",
    "redis-cluster-slaves://a:1?withMaster=true, READ_ALL",
    "redis-sentinel-slaves://a:1/m, READ_REPLICAS",
    "redis-sentinel-slaves://a:1/m?withMaster=true&db=1, READ_ALL",
    "redis-sentinel://a:1/m, READ_AND_WRITE",
    "redis-cluster://a:1, READ_AND_WRITE"
  })
  void urlsOfSlavesServeOnlyReads(String url, Resource.Use use) {
    assertThat(ResourceUrl.parse(url).use()).isEqualTo(use);
  }

  @Test
  void readsTheProxiesOfAUrl() {
    assertThat(upstream("redis-proxies://:pw@a:1,b:2?db=4"))
        .isEqualTo(
            new ProxiesUpstreamSettings(
                List.of(new Endpoint("a", 1), new Endpoint("b", 2)),
                new Credentials(null, "pw"),
                4));
  }

  /** Facts of camellia-redis-proxy 1.4.2, and its own documents' examples. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "redis://@h:1 - -",
        "redis://:@h:1 - -",
        "redis://user:@h:1 - -",
        "redis://pw@h:1 - pw",
        "redis://:pw@h:1 - pw",
        "redis://app:p%40ss@h:1 app p%40ss",
        "redis://app:p@s:s@h:1?db=1 app p@s:s",
        "redis://100%@h:1 - 100%"
      })
  void camelliasUrlsHaveItsCredentials(String url, String user, String password) {
    Credentials credentials = camellias(url).upstream().access().credentials();

    assertThat(credentials)
        .isEqualTo(
            password.equals("-")
                ? null
                : new Credentials(user.equals("-") ? null : user, password));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      value = {
        "redis-sentinel://@a:1/m?sentinelPassword=s3 - s3",
        "redis-sentinel://@a:1/m?sentinelPassword=s%33@x - s%33@x",
        "redis-sentinel://@a:1/m?sentinelPassword=a=b - -",
        "redis-sentinel://@a:1/m?sentinelUserName=u - -",
        "redis-sentinel://@a:1/m?sentinelUserName=u&sentinelPassword=s&x=y&z u s"
      })
  void camelliasParametersAreNotDecoded(String url, String user, String password) {
    var sentinel = (SentinelUpstreamSettings) camellias(url).upstream();

    assertThat(sentinel.masterName()).isEqualTo("m");
    assertThat(sentinel.sentinelCredentials())
        .isEqualTo(
            password.equals("-")
                ? null
                : new Credentials(user.equals("-") ? null : user, password));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          redis://h:1                          | it has no @ before the addresses
          redis-sentinel://h:1/m?db=1&x=a@b    | it has no @ before the addresses
          redis://@[::1]:1                     | an IPv6 address is not supported below camellia-redis-proxy
          redis-sentinel-slaves://@h:1/m?withMaster=1 | withMaster is neither true nor false
          redis-sentinel://@h:1/m?db=one       | the database is 'one', not a number from 0 to 2147483647
          redis-cluster://@h:1?db=1            | redis-cluster:// has no parameter db
          """)
  void camelliasInvalidUrlsAreRejected(String url, String reason) {
    assertThatExceptionOfType(ResourceUrl.InvalidUrlException.class)
        .isThrownBy(() -> camellias(url))
        .withMessage(reason);
  }

  @Test
  void aUnixSocketIsASingleServer() {
    assertThat(upstream("redis-uds:///run/redis.sock?db=1"))
        .isEqualTo(new SingleUpstreamSettings(Endpoint.ofUnixSocket("/run/redis.sock"), null, 1));
    assertThat(upstream("redis-uds://app:s3cr%2fet@/run/a%40b%3fc d.sock"))
        .isEqualTo(
            new SingleUpstreamSettings(
                Endpoint.ofUnixSocket("/run/a@b?c d.sock"), new Credentials("app", "s3cr/et"), 0));
    assertThat(upstream("redis-uds://%40name"))
        .isEqualTo(new SingleUpstreamSettings(Endpoint.ofUnixSocket("@name"), null, 0));
    assertThat(ResourceUrl.parse("rediss-uds:///a").tls()).isTrue();
    assertThat(ResourceUrl.parseShard("redis-uds:///a?weight=2&name=n", UrlSecrets.NONE).weight())
        .isEqualTo(2);
    assertThat(ResourceUrl.masked("redis-uds://:s3cret@/run/redis.sock?db=1"))
        .isEqualTo("redis-uds://***@/run/redis.sock?db=1");
  }

  @Test
  void camelliasUnixSocketsAreNotDecoded() {
    assertThat(camellias("redis-uds://s3cret@/run/a%40b.sock?db=2").upstream())
        .isEqualTo(
            new SingleUpstreamSettings(
                Endpoint.ofUnixSocket("/run/a%40b.sock"), new Credentials(null, "s3cret"), 2));
  }

  private static UpstreamSettings upstream(String url) {
    return ResourceUrl.parse(url).upstream();
  }

  private static Resource camellias(String url) {
    return ResourceUrl.parse(url, UrlRules.CAMELLIA);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          localhost:6379                  | it has no scheme
          redis-uds://run/redis.sock      | the name of its Unix socket cannot be used: it is neither an absolute path nor @ and a name
          redis-uds:///@name              | the name of its Unix socket cannot be used: it is neither an absolute path nor @ and a name
          redis-uds://@                   | the name of its Unix socket cannot be used: it is neither an absolute path nor @ and a name
          redis-uds:///run/               | the name of its Unix socket cannot be used: it is the path of a folder
          redis-uds:///a%0ab              | the name of its Unix socket cannot be used: it contains a control character
          redis-uds:///a?timeout=1        | a parameter after its ? does not exist
          unix:///run/redis.sock          | the scheme unix:// is unknown
          redis-socket:///run/redis.sock  | the scheme redis-socket:// is unknown
          redis-kv://@space               | the scheme redis-kv:// is not supported: it names no Redis servers
          redis-proxies-discovery://@name | the scheme redis-proxies-discovery:// is not supported: it names no Redis servers
          http://h:1                      | the scheme http:// is unknown
          rediss-kv://h:1                 | the scheme rediss-kv:// is unknown
          rediss://a:1,b:2                | rediss:// takes one server, and several are listed
          rediss-cluster://a:1?db=1       | rediss-cluster:// has no parameter db
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
          redis-cluster://a:1?db=1        | redis-cluster:// has no parameter db
          redis-cluster-slaves://a:1?db=1 | redis-cluster-slaves:// has no parameter db
          redis-cluster-slaves://a:1?withMaster=yes | withMaster is neither true nor false
          redis-sentinel://a:1            | the name of the master is missing
          redis-sentinel://a:1/?db=1      | the name of the master is missing
          redis-sentinel://a/m            | a has no port
          redis-sentinel://a:1/m?withMaster=true | redis-sentinel:// has no parameter withMaster
          redis-sentinel://a:1/m?db=x     | the database is 'x', not a number from 0 to 2147483647
          redis-sentinel://a:1/m?sentinelUserName=u | it has sentinelUserName without sentinelPassword
          redis-sentinel://a:1/m?sentinelPassword=s3cret@b | a parameter of it contains an @
          redis-sentinel://a:1/m?db       | a parameter after its ? has no value
          redis-sentinel://a:1/m?db=1&db=2 | a parameter after its ? is there twice
          redis-proxies://a:1?withMaster=true | redis-proxies:// has no parameter withMaster
          redis://a:1,b:2                 | redis:// takes one server, and several are listed
          redis://a:1?timeout=1           | a parameter after its ? does not exist
          redis://a:1?db=-1               | the database is '-1', not a number from 0 to 2147483647
          redis://a:1/2                   | a:1/2 has a path
          redis://user:@a:1               | it has a user without a password
          redis://100%@a:1                | a % in it is not followed by two hexadecimal digits
          redis://%ff@a:1                 | what is percent-encoded in it is not UTF-8
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
        "redis://@h:1 redis://@h:1",
        "redis://p@h:1?db=1 redis://***@h:1?db=1",
        "redis-sentinel://h:1/m?db=1&sentinelPassword=x redis-sentinel://h:1/m?db=1&***",
        "redis-sentinel://h:1/m?sentinelPasword=s3&db=1 redis-sentinel://h:1/m?***",
        "redis-sentinel://p@h:1/m?sentinelPassword=a@b redis-sentinel://***",
        "redis://p@ss?x@h:1 redis://***",
        "a:s3cret://@h:1 ***@h:1",
        "r!//a:s3cret@h:1&s3c://0 ***@h:1&***"
      })
  void masksCredentials(String url, String masked) {
    assertThat(ResourceUrl.masked(url)).isEqualTo(masked);
  }

  @ParameterizedTest
  @CsvSource({
    "rediss://h:1, true, false",
    "rediss-cluster://h:1, true, false",
    "rediss-cluster-slaves://h:1, true, false",
    "rediss-sentinel://h:1/m, true, false",
    "rediss-sentinel-slaves://h:1/m?sentinelSSL=true, true, true",
    "rediss-proxies://h:1, true, false",
    "redis-sentinel://h:1/m?sentinelSSL=true, false, true",
    "redis-cluster://h:1, false, false",
  })
  void schemesWithTlsNameTheSameServers(String url, boolean tls, boolean sentinelTls) {
    Resource resource = ResourceUrl.parse(url);

    assertThat(resource.tls()).isEqualTo(tls);
    assertThat(resource.sentinelTls()).isEqualTo(sentinelTls);
    Resource plain = ResourceUrl.parse(url.replace("rediss", "redis"));
    assertThat(resource.upstream()).isEqualTo(plain.upstream());
    assertThat(resource.use()).isEqualTo(plain.use());
  }
}
