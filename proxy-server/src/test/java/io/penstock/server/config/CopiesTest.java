package io.penstock.server.config;

import static io.penstock.server.config.ConfigurationSources.settings;
import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.assembly.ProxySettings;
import io.penstock.core.assembly.ProxySettings.Mirror;
import io.penstock.core.copies.MirrorSettings;
import io.penstock.core.copies.ReplyPolicy;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Upstreams with copies. */
@ExtendWith(OutputCaptureExtension.class)
class CopiesTest {

  private static final String OTHERS =
      """
          orders: "redis://h:1"
          orders-too: "redis://h:1"
          far: "redis://h:2"
          far-too: "redis://h:2"
          other: "redis://h:3"
          database: "redis://h:4?db=1"
          cluster: "redis-cluster://h:5"
          slaves: "redis-cluster-slaves://h:6"
          proxies: "redis-proxies://h:7,h:8"
          clients: { weighted: [ { upstream: far }, { upstream: other } ], by: client }
          raw: { tcp: { servers: [ "h:9" ] } }
          whole: { by-prefix: [ { prefix: a, upstream: far } ], otherwise: other }
          more: "redis://h:10"
          replicated: "redis-cluster://h:11"
          copied: { primary: more, copies: [ cluster ] }
      """;

  private static ProxySettings map(String upstream) {
    String file =
        "penstock:\n  listeners: { l: { port: 0, upstream: x } }\n  upstreams:\n%s    x: %s\n"
            .formatted(OTHERS, upstream);
    return settings(file);
  }

  private static Mirror mirror(String upstream) {
    return Objects.requireNonNull(map(upstream).mirrorOf("x"));
  }

  @Test
  void anUpstreamHasTheServersOfItsPrimary() {
    ProxySettings settings = map("{ primary: orders, copies: [ far ] }");

    assertThat(settings.respUpstream("x").kind()).isEqualTo(settings.respUpstream("orders").kind());
    assertThat(settings.mirrorOf("x"))
        .isEqualTo(
            new Mirror(
                "x",
                "orders",
                List.of("far"),
                new MirrorSettings(ReplyPolicy.PRIMARY, 100_000, 64 << 20)));
    assertThat(settings.mirrorOf("orders")).isNull();
  }

  @Test
  void itsCopiesAreInUse() {
    ProxySettings settings = map("{ primary: orders, copies: [ far ] }");

    assertThat(settings.usedUpstreams()).containsExactly("x", "far");
    assertThat(settings.wholesOf(settings.upstream("orders"))).containsExactly("x");
    assertThat(settings.wholesOf(settings.upstream("other"))).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({
    "primary, PRIMARY",
    "all, ALL",
    "quorum, QUORUM",
    "safe-quorum, SAFE_QUORUM",
    "safe_quorum, SAFE_QUORUM"
  })
  void theReplyHasFourPolicies(String written, ReplyPolicy policy) {
    assertThat(mirror("{ primary: orders, copies: [ far ], reply: " + written + " }").settings())
        .returns(policy, MirrorSettings::reply);
  }

  @Test
  void theQueuesHaveLimits() {
    String limits = "copy-queue-max-requests: 10, copy-queue-max-bytes: 1MB";

    assertThat(mirror("{ primary: orders, copies: [ far ], %s }".formatted(limits)).settings())
        .isEqualTo(new MirrorSettings(ReplyPolicy.PRIMARY, 10, 1 << 20));
  }

  @Test
  void aPrimaryAndCopiesMayBeMadeOfOthers() {
    Mirror mirror = mirror("{ primary: orders, copies: [ whole ] }");
    assertThat(mirror.copies()).containsExactly("whole");
    assertThat(mirror("{ primary: whole, copies: [ orders ] }").primary()).isEqualTo("whole");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          primary: orders                                  | copies    | it is not set
          primary: '', copies: [ far ]                     | primary   | it is not set
          primary: none, copies: [ far ]                   | primary   | there is no upstream none
          primary: x, copies: [ far ]                      | primary   | upstream x would be its own
          primary: 'redis://h:1', copies: [ far ]          | primary   | it is a URL
          primary: raw, copies: [ far ]                    | primary   | upstream raw is plain TCP
          primary: slaves, copies: [ far ]                 | primary   | upstream slaves is only for
          primary: clients, copies: [ orders ]             | primary   | upstream clients is
          primary: proxies, copies: [ orders ]             | primary   | upstream proxies is
          primary: copied, copies: [ far ]                 | primary   | upstream copied has copies
          primary: more, copies: [ far ]                   | primary   | upstream more has servers of the primary of upstream copied
          primary: orders, copies: [ orders ]              | copies[0] | upstream orders is the primary
          primary: orders, copies: [ orders-too ]          | copies[0] | penstock.upstreams.x.primary is the same server
          primary: orders, copies: [ far, far ]            | copies[1] | upstream far is listed twice
          primary: orders, copies: [ far, far-too ]        | copies[1] | penstock.upstreams.x.copies[0] is the same
          primary: orders, copies: [ far, none ]           | copies[1] | there is no upstream none
          primary: orders, copies: [ raw ]                 | copies[0] | upstream raw is plain TCP
          primary: orders, copies: [ slaves ]              | copies[0] | upstream slaves is only for
          primary: orders, copies: [ copied ]              | copies[0] | upstream copied has copies
          primary: orders, copies: [ clients ]             | copies[0] | upstream clients is
          primary: orders, copies: [ proxies ]             | copies[0] | upstream proxies is
          primary: orders, copies: [ database ]            | copies[0] | its database is 1
          primary: orders, copies: [ x ]                   | copies[0] | upstream x would be its own
          primary: orders, copies: [ more ]                | copies[0] | upstream more has servers of the primary of upstream copied
          primary: orders, copies: [ cluster ]             | copies[0] | upstream cluster has servers of a copy of upstream copied
          primary: orders, copies: [ far ], reply: some    | reply     | failed to convert
          """)
  void whatCannotBeIsRejectedInWords(String upstream, String key, String reason) {
    Faults.expect("penstock.upstreams.x." + key, reason, () -> map("{ " + upstream + " }"));
  }

  @ParameterizedTest
  @CsvSource({
    "orders, true",
    "orders-too, true",
    "x, false",
    "far, false",
    "around, true",
    "reads, false"
  })
  void aListenerThatServesThePrimaryIsLogged(String served, boolean warned, CapturedOutput output) {
    settings(
        """
        penstock:
          listeners: { l: { port: 0, upstream: x }, direct: { port: 0, upstream: %s } }
          upstreams:
            around: { split: { write: orders, read: [ other ] } }
            reads: { split: { write: other, read: [ orders ] } }
            x: { primary: orders, copies: [ far ] }
        %s
        """
            .formatted(served, OTHERS));
    String line =
        "Listener direct serves upstream %s, and its servers are the primary of upstream x: copies"
            .formatted(served);
    if (warned) {
      assertThat(output).containsOnlyOnce(line);
    } else {
      assertThat(output).doesNotContain("serves upstream");
    }
  }

  @Test
  void keysOfCopiesNeedAPrimary() {
    for (String key :
        List.of(
            "copies: [ far ]",
            "reply: all",
            "copy-queue-max-requests: 5",
            "copy-queue-max-bytes: 1MB")) {
      Faults.expect(
          "penstock.upstreams.x." + key.substring(0, key.indexOf(':')),
          "penstock.upstreams.x.primary, whose writes are copied, is not set",
          () -> map("{ resource: 'redis://h:1', " + key + " }"));
    }
    Faults.expect(
        "penstock.upstreams.x.copies",
        "this upstream is plain TCP",
        () -> map("{ tcp: { servers: [ 'h:1' ] }, copies: [ far ] }"));
  }

  @Test
  void anUpstreamHasAPrimaryOrServersOfItsOwn() {
    Faults.expect(
        "penstock.upstreams.x.resource",
        "this upstream has primary too",
        () -> map("{ resource: 'redis://h:1', primary: orders, copies: [ far ] }"));
    Faults.expect(
        "penstock.upstreams.x.tls.bundle",
        "the upstreams that this one selects have a key of their own",
        () -> map("{ primary: orders, copies: [ far ], tls: { bundle: edge } }"));
  }

  @Test
  void anUpstreamWithCopiesIsNoPartOfAnother() {
    Faults.expect(
        "penstock.upstreams.x.split.write",
        "upstream copied has copies",
        () -> map("{ split: { write: copied, read: [ far ] } }"));
    Faults.expect(
        "penstock.upstreams.x.by-prefix[0].upstream",
        "upstream copied has copies",
        () -> map("{ by-prefix: [ { prefix: a, upstream: copied } ], otherwise: far }"));
  }

  @Test
  void quorumsAreOfMasters() {
    String reads =
        "{ primary: replicated, copies: [ far ], reply: %s, reads: { from: replica-preferred } }";
    for (String policy : List.of("quorum", "safe-quorum")) {
      Faults.expect(
          "penstock.upstreams.x.reads.from",
          "reply quorum and safe-quorum compare",
          () -> map(reads.formatted(policy)));
    }
    assertThat(mirror(reads.formatted("all")).settings())
        .returns(ReplyPolicy.ALL, MirrorSettings::reply);
  }

  @Test
  void shadowsAndCopies() {
    assertThat(map("{ primary: orders, copies: [ far ], shadow: { upstream: other } }").shadows())
        .hasSize(1);
    Faults.expect(
        "penstock.upstreams.x.shadow.upstream",
        "upstream copied has copies",
        () -> map("{ resource: 'redis://h:1', shadow: { upstream: copied } }"));
    Faults.expect(
        "penstock.upstreams.x.shadow.upstream",
        "the copies of upstream x answer its reads",
        () ->
            map(
                "{ primary: orders, copies: [ far ], reply: quorum, shadow: { upstream: other } }"));
  }
}
