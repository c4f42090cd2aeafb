package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Shadow;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstreams whose reads go to another one too. */
class ShadowTest {

  private static final String OTHERS =
      """
          copy: "redis://h:2"
          same: "redis://h:1"
          chained: { resource: "redis://h:3", shadow: { upstream: copy } }
          slaves: "redis-cluster-slaves://h:4"
          proxies: "redis-proxies://h:5,h:6"
          clients: { weighted: [ { upstream: copy }, { upstream: other } ], by: client }
          other: "redis://h:7"
          raw: { tcp: { servers: [ "h:8" ] } }
          whole: { by-prefix: [ { prefix: a, upstream: same } ], otherwise: other }
      """;

  private static ProxySettings map(String upstream) {
    String file =
        "penstock:\n  listeners: { l: { port: 0, upstream: x } }\n  upstreams:\n    x: %s\n%s"
            .formatted(upstream, OTHERS);
    return settings(file);
  }

  private static ProxySettings withShadow(String shadow) {
    return map("{ resource: 'redis://h:1', shadow: " + shadow + " }");
  }

  @Test
  void theShareIsAPercentageWithTwoDecimals() {
    assertThat(withShadow("{ upstream: copy, share: 0.01 }").shadowOf("x"))
        .isEqualTo(new Shadow("x", "copy", 1))
        .returns("0.01", Shadow::percent);
    assertThat(withShadow("{ upstream: copy, share: 100 }").shadowOf("x"))
        .isEqualTo(new Shadow("x", "copy", 10_000))
        .returns("100", Shadow::percent);
    assertThat(withShadow("{ upstream: copy }").shadowOf("x"))
        .isEqualTo(new Shadow("x", "copy", 100));
    assertThat(withShadow("{ upstream: copy, share: 0 }").shadowOf("x")).isNull();
  }

  @Test
  void aShadowOfAnUpstreamInUseIsInUse() {
    assertThat(withShadow("{ upstream: copy }").usedUpstreams()).containsExactly("x", "copy");
    assertThat(map("'redis://h:1'").usedUpstreams()).containsExactly("x");
  }

  @Test
  void theUpstreamOfTranspondMayHaveAShadow() {
    String shadow =
        """
        penstock:
          transpond: { local: { resource: "redis://h:1", shadow: { upstream: %s, share: 50 } } }
          upstreams: { copy: "redis://h:2" }
        """;

    assertThat(settings(shadow.formatted("copy")).shadows())
        .containsExactly(new Shadow("default", "copy", 5_000));
    Faults.expect(
        "penstock.transpond.local.shadow.upstream",
        "upstream default would be its own shadow",
        () -> settings(shadow.formatted("default")));
    Faults.expect(
        "penstock.transpond.local.shadow.upstream",
        "penstock.transpond.local.resource, whose reads would go there too, is not set",
        () -> settings(shadow.formatted("copy").replace("resource: \"redis://h:1\", ", "")));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {upstream: x}                  | upstream   | upstream x would be its own shadow
          {upstream: none}               | upstream   | there is no upstream none
          {share: 5}                     | upstream   | it is not set
          {upstream: 'redis://h:9'}      | upstream   | it is a URL
          {upstream: raw}                | upstream   | upstream raw is plain TCP
          {upstream: same}               | upstream   | upstream same has servers of upstream x
          {upstream: whole}              | upstream   | upstream whole has servers of upstream x
          {upstream: chained}            | upstream   | upstream chained has a shadow itself
          {upstream: slaves}             | upstream   | upstream slaves is only for reads
          {upstream: proxies}            | upstream   | upstream proxies is
          {upstream: clients}            | upstream   | upstream clients is
          {upstream: copy, share: 101}   | share      | must be 0, or from 0.01 to 100
          {upstream: copy, share: 0.001} | share      | must be 0, or from 0.01 to 100
          """)
  void whatCannotBeIsRejectedInWords(String shadow, String key, String reason) {
    Faults.expect("penstock.upstreams.x.shadow." + key, reason, () -> withShadow(shadow));
  }

  @Test
  void aPartOfAnUpstreamIsNotItsShadow() {
    Faults.expect(
        "penstock.upstreams.x.shadow.upstream",
        "upstream copy is a part of upstream x",
        () -> map("{ split: { write: copy, read: [ other ] }, shadow: { upstream: copy } }"));
    Faults.expect(
        "penstock.upstreams.x.shadow.upstream",
        "upstream x is only for reads",
        () -> map("{ resource: 'redis-cluster-slaves://h:8', shadow: { upstream: copy } }"));
  }
}
