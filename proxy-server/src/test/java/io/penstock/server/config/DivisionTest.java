package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.division.DividedUpstreamSettings;
import io.penstock.core.division.PrefixDivision;
import io.penstock.core.division.SpreadUpstreamSettings;
import io.penstock.core.division.WeightedDivision;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstreams that select others by prefix or by weight. */
class DivisionTest {

  private static final String OTHERS =
      """
          orders: "redis-cluster://h:1"
          cache: "redis://h:2"
          sessions: "redis-sentinel://h:3/m"
          other-db: "redis://h:4?db=1"
          same: "redis://h:5"
          slaves: "redis-cluster-slaves://h:6"
          by-client: { weighted: [ { upstream: cache } ], by: client }
          same-cache: "redis://h:2"
          whole: { shards: { distribution: modula, servers: [ "redis://h:5" ] } }
      """;

  private static ProxySettings map(String upstream) {
    String file =
        "penstock:\n  listeners: { l: { port: 0, upstream: x } }\n  upstreams:\n    x: %s\n%s"
            .formatted(upstream, OTHERS);
    return settings(file);
  }

  @Test
  void prefixesSelectUpstreams() {
    ProxySettings settings =
        map(
            "{ by-prefix: [ { prefix: 'a:', upstream: orders }, { prefix: 'a:b:', upstream: cache },"
                + " { prefix: c, upstream: orders } ], otherwise: sessions }");

    assertThat(settings.respUpstream("x").kind())
        .isEqualTo(
            new DividedUpstreamSettings(
                new PrefixDivision(Map.of("a:", 0, "a:b:", 1, "c", 0), 2, 3),
                List.of(
                    settings.respUpstream("orders").kind(),
                    settings.respUpstream("cache").kind(),
                    settings.respUpstream("sessions").kind())));
  }

  @Test
  void weightsSelectUpstreams() {
    ProxySettings settings =
        map("{ weighted: [ { upstream: orders, weight: 95 }, { upstream: cache } ] }");

    assertThat(settings.respUpstream("x").kind())
        .isEqualTo(
            new DividedUpstreamSettings(
                new WeightedDivision(List.of(95, 1)),
                List.of(
                    settings.respUpstream("orders").kind(),
                    settings.respUpstream("cache").kind())));
  }

  @Test
  void weightsMaySelectAnUpstreamForEachClient() {
    ProxySettings settings =
        map("{ weighted: [ { upstream: orders, weight: 3 }, { upstream: cache } ], by: client }");

    assertThat(settings.respUpstream("x").kind())
        .isEqualTo(
            new SpreadUpstreamSettings(
                new WeightedDivision(List.of(3, 1)),
                List.of(
                    settings.respUpstream("orders").kind(),
                    settings.respUpstream("cache").kind())));
  }

  @Test
  void aPartMayConsistOfOthersItself() {
    ProxySettings settings =
        map(
            "{ weighted: [ { upstream: tenants }, { upstream: whole, weight: 2 } ] }\n"
                + "    tenants: { by-prefix: [ { prefix: a, upstream: cache } ], otherwise: orders }");

    assertThat(settings.respUpstream("x").kind().leaves())
        .containsExactly(
            settings.respUpstream("cache").kind(),
            settings.respUpstream("orders").kind(),
            settings.respUpstream("whole").kind().parts().getFirst());
    assertThat(settings.wholesOf(settings.upstream("cache"))).containsExactly("x");
  }

  @Test
  void upstreamsCannotBePartsOfEachOther() {
    ConfigurationFault fault =
        Faults.of(() ->
            map(
                "{ weighted: [ { upstream: tenants } ] }\n"
                    + "    tenants: { by-prefix: [ { prefix: a, upstream: x } ], otherwise: cache }"));

    assertThat(fault.key()).isEqualTo("penstock.upstreams.tenants.by-prefix[0].upstream");
    assertThat(fault.reason()).isEqualTo("upstream x would be a part of itself");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {by-prefix: [{prefix: a, upstream: cache}]} | otherwise | it is not set
          {by-prefix: [{prefix: a, upstream: none}], otherwise: cache} | by-prefix[0].upstream | there is no upstream none
          {by-prefix: [{prefix: a}], otherwise: cache} | by-prefix[0].upstream | it is not set
          {by-prefix: [{upstream: cache}], otherwise: cache} | by-prefix[0].prefix | it is not set
          {by-prefix: [{prefix: '', upstream: cache}], otherwise: cache} | by-prefix[0].prefix | it is not set
          {by-prefix: [{prefix: a, upstream: cache}, {prefix: a, upstream: orders}], otherwise: cache} | by-prefix[1].prefix | it is there twice
          {by-prefix: [{prefix: a, upstream: 'redis://h:9'}], otherwise: cache} | by-prefix[0].upstream | it is a URL
          {by-prefix: [{prefix: a, upstream: x}], otherwise: cache} | by-prefix[0].upstream | upstream x would be a part of itself
          {by-prefix: [{prefix: a, upstream: whole}], otherwise: same} | otherwise | penstock.upstreams.x.by-prefix[0].upstream has a server of this one too
          {by-prefix: [{prefix: a, upstream: cache}], otherwise: same-cache} | otherwise | penstock.upstreams.x.by-prefix[0].upstream is the same server
          {by-prefix: [{prefix: a, upstream: other-db}], otherwise: cache} | otherwise | its database is 0, and that of penstock.upstreams.x.by-prefix[0].upstream is 1
          {by-prefix: [{prefix: a, upstram: cache}], otherwise: cache} | by-prefix[0].upstram | there is no such key
          {otherwise: cache} | by-prefix | it is not set
          {weighted: [{upstream: cache}], otherwise: cache} | otherwise | by-prefix and weighted cannot both be the rule
          {weighted: [{upstream: cache}], by-prefix: [{prefix: a, upstream: cache}]} | weighted[0].upstream | by-prefix and weighted cannot both be the rule
          {weighted: [{upstream: cache}], tls: {verify: ca}} | tls.verify | the upstreams that this one selects have a key of their own
          {by: key, resource: 'redis://h:1'} | resource | this upstream has by too
          {by-prefix: [{prefix: a, upstream: slaves}], otherwise: cache} | by-prefix[0].upstream | upstream slaves is only for reads
          {weighted: [{upstream: cache}, {upstream: cache}]} | weighted[1].upstream | it is there twice
          {weighted: [{upstream: cache, weight: 0}]} | weighted[0].weight | all weights are 0
          {weighted: [{upstream: cache, weight: -1}]} | weighted[0].weight | must be from 0 to 1000000
          {by: client} | by | there is no list weighted
          {by-prefix: [{prefix: a, upstream: cache}], otherwise: orders, by: key} | by | there is no list weighted
          {by-prefix: [{prefix: a, upstream: by-client}], otherwise: orders} | by-prefix[0].upstream | upstream by-client is 1 upstream by weight, for each client: h:2, which cannot
          {weighted: [{upstream: cache, weight: 0.5}]} | weighted[0].weight | it is not a whole number
          {weighted: [{weight: 1}]} | weighted[0].upstream | it is not set
          {weighted: [{upstream: cache}], resource: 'redis://h:1'} | resource | this upstream has weighted too
          {weighted: [{upstream: cache}], shards: {distribution: modula, servers: ['redis://h:9']}} | shards.distribution | this upstream has weighted too
          {weighted: [{upstream: cache}], proxy-protocol: v1} | proxy-protocol | the upstreams that this one selects have a key of their own
          {weighted: [{upstream: cache}], password-file: x} | password-file | the upstreams that this one selects have a key of their own
          """)
  void whatIsWrongIsNamed(String upstream, String key, String reason) {
    Faults.expect("penstock.upstreams.x." + key, reason, () -> map(upstream));
  }
}
