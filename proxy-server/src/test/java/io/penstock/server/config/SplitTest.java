package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.upstream.ReadFrom;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Upstreams with other upstreams for writes and for reads. */
class SplitTest {

  private static final String OTHERS =
      """
          orders: "redis-cluster://h:1"
          far: "redis-cluster://h:7"
          cache: "redis://h:2"
          copy: "redis://h:3"
          sessions: "redis-sentinel://h:4/m"
          sessions-slaves: "redis-sentinel-slaves://h:5/m"
          sessions-all: "redis-sentinel-slaves://h:6/m?withMaster=true"
          other-db: "redis://h:8?db=1"
          same: "redis://h:2"
          whole: { shards: { distribution: modula, servers: [ "redis://h:9" ] } }
      """;

  private static ProxySettings map(String upstream) {
    String file =
        "penstock:\n  listeners: { l: { port: 0, upstream: x } }\n  upstreams:\n    x: %s\n%s"
            .formatted(upstream, OTHERS);
    return settings(file);
  }

  @Test
  void readsGoToOthersUnlessTheConfigurationSaysOtherwise() {
    ProxySettings settings =
        map("{ split: { write: cache, read: [ copy, sessions, sessions-slaves, sessions-all ] } }");

    assertThat(settings.respUpstream("x").kind())
        .isEqualTo(
            new SplitUpstreamSettings(
                settings.respUpstream("cache").kind(),
                List.of(
                    new ReadPart(settings.respUpstream("copy").kind(), true, false),
                    new ReadPart(settings.respUpstream("sessions").kind(), true, false),
                    new ReadPart(settings.respUpstream("sessions-slaves").kind(), false, true),
                    new ReadPart(settings.respUpstream("sessions-all").kind(), true, true))));
    assertThat(settings.respUpstream("x").reads().from()).isEqualTo(ReadFrom.REPLICA_PREFERRED);
    assertThat(
            map("{ split: { write: orders, read: far }, read-from: any }")
                .respUpstream("x")
                .reads())
        .returns(ReadFrom.ANY, from -> from.from());
  }

  @Test
  void aSplitUpstreamMayBeAShardIfReplicasAreRead() {
    String split = "\n    two: { split: { write: cache, read: [ copy ] } }";
    String shards = "{ shards: { distribution: ketama, servers: [ two ] }%s }";

    assertThat(
            map(shards.formatted(", read-from: replica") + split).respUpstream("x").kind().leaves())
        .hasSize(2);
    assertThat(Faults.of(() -> map(shards.formatted("") + split)).reason())
        .isEqualTo("it is master: the servers for reads of split would not be read");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {split: {read: [cache]}} | split.write | it is not set
          {split: {write: cache}} | split.read | it is not set
          {split: {write: cache, read: [none]}} | split.read[0] | there is no upstream none
          {split: {write: none, read: [cache]}} | split.write | there is no upstream none
          {split: {write: 'redis://h:9', read: [cache]}} | split.write | it is a URL
          {split: {write: cache, read: ['redis://h:9']}} | split.read[0] | it is a URL
          {split: {write: cache, read: ['']}} | split.read[0] | it is not set
          {split: {write: x, read: [cache]}} | split.write | upstream x would be a part of itself
          {split: {write: cache, read: [x]}} | split.read[0] | upstream x would be a part of itself
          {split: {write: cache, read: [whole]}} | split.read[0] | upstream whole is 1 shard by modula: h:9, which cannot be for reads
          {split: {write: sessions-slaves, read: [cache]}} | split.write | upstream sessions-slaves is only for reads
          {split: {write: cache, read: [orders]}} | split.read[0] | upstream orders is a Redis Cluster, and cache is none
          {split: {write: cache, read: [same]}} | split.read[0] | penstock.upstreams.x.split.write is the same server
          {split: {write: cache, read: [copy, copy]}} | split.read[1] | penstock.upstreams.x.split.read[0] is the same server
          {split: {write: cache, read: [other-db]}} | split.read[0] | its database is 1, and that of penstock.upstreams.x.split.write is 0
          {split: {write: cache, reed: copy}} | split.reed | there is no such key
          {split: {write: cache, read: [copy]}, read-from: master} | read-from | it is master
          {split: {write: cache, read: [copy]}, read-from: lowest-latency} | read-from | nodes of split cannot be compared
          {split: {write: cache, read: [copy]}, max-replica-lag: 1MB} | max-replica-lag | it is not known how far
          {split: {write: cache, read: [copy]}, resource: 'redis://h:9'} | resource | this upstream has split too
          {split: {write: cache, read: [copy]}, weighted: [{upstream: orders}]} | split.write | this upstream has weighted too
          {split: {write: cache, read: [copy]}, password-file: x} | password-file | the upstreams that this one selects have a key of their own
          """)
  void whatIsWrongIsNamed(String upstream, String key, String reason) {
    Faults.expect("penstock.upstreams.x." + key, reason, () -> map(upstream));
  }
}
