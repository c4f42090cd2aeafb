package io.penstock.server.mapping;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.penstock.core.layout.ShardLayout;
import io.penstock.core.shards.ShardsUpstreamSettings;
import io.penstock.core.split.ReadPart;
import io.penstock.core.split.SplitUpstreamSettings;
import io.penstock.core.topology.UpstreamSettings;
import io.penstock.core.upstream.NodeTransport;
import io.penstock.server.table.InvalidTableException;
import io.penstock.server.table.TableParser;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What resource tables of camellia-redis-proxy become, and what is said of wrong ones. */
class TableMappingTest {

  private static final String SIMPLE = "{'type': 'simple', 'operation': %s}";
  private static final String SHARDED =
      "{'type': 'sharding', 'operation': {'bucketSize': %s, 'operationMap': {%s}}}";
  private static final String SEPARATE = "{'type': 'rw_separate', 'read': %s, 'write': %s}";
  private static final String MASTER = "'redis://@w:1'";

  private static UpstreamSettings map(String table) {
    return new TableMapping(NodeTransport.PLAIN)
        .map(TableParser.parse(table.replace('\'', '"')), "camellia-default")
        .upstream();
  }

  private static InvalidTableException fault(String table) {
    return catchThrowableOfType(
        InvalidTableException.class,
        () -> {
          map(table);
          copies(table);
        });
  }

  private static SplitUpstreamSettings split(UpstreamSettings kind) {
    return (SplitUpstreamSettings) kind;
  }

  private static ShardsUpstreamSettings shards(UpstreamSettings kind) {
    return (ShardsUpstreamSettings) kind;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          'redis://@r:1'                                                 | false | one upstream for writes and 1 for reads: w:1; r:1
          {'type':'simple','resources':['redis-sentinel-slaves://@r:1/m']} | false | one upstream for writes and 1 for reads: w:1; replicas of the master m of
          {'type':'Random','resources':['redis://@r:1','redis://@s:1']}  | false | one upstream for writes and 2 others for reads: w:1; r:1; s:1
          {'type':'order','resources':['redis://@r:1','redis://@s:1']}   | true  | one upstream for writes and 2 others for reads, the first that answers: w:1; r:1; s:1
          {'type':'order','resources':['redis://@r:1','redis://@w:1']}   | true  | one upstream for writes and 2 for reads, itself included, the first that answers: w:1; r:1; w:1
          {'type':'random','resources':['redis-sentinel-slaves://@r:1/m?withMaster=true','redis-uds://@/x']} | false | one upstream for writes and 2 others for reads: w:1; the master m of
          """)
  void readsAreSeparatedFromWrites(String read, boolean inOrder, String description) {
    for (String write :
        List.of(
            MASTER,
            "{'type':'simple','resources':[" + MASTER + "]}",
            "{'type':'MULTI','resources':[" + MASTER + "]}")) {
      SplitUpstreamSettings split = split(map(SIMPLE.formatted(SEPARATE.formatted(read, write))));

      assertThat(split.inOrder()).isEqualTo(inOrder);
      assertThat(split.description()).startsWith(description);
    }
  }

  @Test
  void onlyReplicasAreReadUnlessTheUrlSaysWithMaster() {
    String group = "redis-sentinel%s://@h:1/m";
    String read =
        "{'type':'random','resources':['%s','%s?withMaster=true']}"
            .formatted(group.formatted("-slaves"), group.replace("/m", "/n").formatted("-slaves"));
    SplitUpstreamSettings split =
        split(map(SIMPLE.formatted(SEPARATE.formatted(read, "'" + group.formatted("") + "'"))));

    assertThat(split.read().getFirst()).isEqualTo(new ReadPart(split.write(), false, true));
    assertThat(split.read().getLast().masters()).isTrue();
    assertThat(split.read().getLast().replicas()).isTrue();
    assertThat(split.parts()).as("one group is there once").hasSize(2);
  }

  @Test
  void bucketsAreListedAndSharedByEqualOperations() {
    UpstreamSettings upstream =
        map(
            SHARDED.formatted(
                6, "'0-2': 'redis://@a:1', '4': 'redis://@a:1', '1-3-5': 'redis://@b:1'"));

    ShardLayout layout = shards(upstream).layout();
    assertThat(layout.shards()).containsExactly("a:1", "b:1");
    assertThat(layout.partitions()).isEqualTo(6);
    assertThat(List.of(0, 1, 2, 3, 4, 5).stream().map(layout::ownerOf))
        .containsExactly(0, 1, 0, 1, 0, 1);
    assertThat(map(SHARDED.replace("sharding", "Shading").formatted(1, "'0': 'redis://@a:1'")))
        .isInstanceOf(ShardsUpstreamSettings.class);
  }

  @Test
  void aBucketThatIsNotSeparatedIsReadAtItsMaster() {
    UpstreamSettings upstream =
        map(
            SHARDED.formatted(
                3,
                "'0': 'redis-sentinel://@s:1/m', '1': 'redis://@a:1', '2': "
                    + SEPARATE.formatted("'redis://@r:1'", "'redis-cluster://@c:1'")));

    List<UpstreamSettings> parts = shards(upstream).shards();
    assertThat(split(parts.getFirst()).read()).isEmpty();
    assertThat(parts.getFirst().description()).startsWith("the master m of");
    assertThat(parts.get(1)).isNotInstanceOf(SplitUpstreamSettings.class);
    assertThat(split(parts.getLast()).read()).hasSize(1);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          valkey://pw-s3cret@h:1                  | the scheme valkey:// is not supported yet
          redis-kv://s3cret                       | the scheme redis-kv:// is not supported
          redis-proxies-discovery://s3cret@name   | the scheme redis-proxies-discovery:// is not supported
          redis://h:1                             | it has no @ before the addresses
          s3cret                                  | it has no scheme
          {'type':'simple','operation':'redis://s3cret@h:1'} | at operation: it is not an object
          {'type':'simple','operation':{'type':'simple','resource':'redis://s3cret@h'}} | at operation.resource: h has no port
          {'type':'simple','operation':{'type':'simple'}} | at operation: resource is missing
          {'type':'simple','operation':{'type':'simple','resource':7}} | at operation.resource: it is not a URL
          {'type':'simple','operation':{'type':'simple','resource':'redis://@h:1','redis://s3cret@h:1':1}} | at operation: it has an unknown field
          {'type':'simple','operation':{'type':'split'}}  | at operation: its type is unknown
          {'type':'simple','operation':{}}        | at operation: it has no type
          {'type':'simple'}                       | operation is missing
          {'type':'random','operation':{}}        | its type is unknown
          {'operation':{}}                        | it has no type
          {'type':'simple','operation':{},'more':1} | it has an unknown field more
          {'type':'simple','type':'simple'}       | it is not JSON, or has a key twice, at line 1
          {'s3cret'                               | it is not JSON, or has a key twice, at line 1
          {} s3cret                               | it is not JSON, or has a key twice, at line 1
          ['redis://s3cret@h:1']                  | it has no scheme
          """)
  void aWrongTableIsNamedWithoutItsPasswords(String table, String reason) {
    InvalidTableException fault = fault(table);

    assertThat(fault.reason()).startsWith(reason).doesNotContain("s3cret");
    assertThat(fault.fix()).doesNotContain("s3cret");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {'type':'order','resources':[]}                      | .read.resources: it is not a list with a URL
          {'type':'order'}                                     | .read: resources is missing
          {'type':'slave','resources':['redis://@r:1']}        | .read: its type is unknown
          {'type':'simple','resources':['redis://@r:1','redis://@s:1']} | .read: its type is simple, and it has several resources
          {'type':'order','resources':['redis://@r:1','redis://@r:1']} | .read.resources[1]: it is there twice
          {'type':'order','resources':['redis://@r:1','redis://@r:1?db=0']} | ""
          {'type':'order','resources':['redis://@r:1','redis://pw@r:1']} | .read.resources[1]: it has a server of operation.read.resources[0] with another user
          'redis://u:pw@w:1'                                   | .read: it has a server of operation.write with another user
          'redis://@r:1?db=1'                                  | .read: its database is 1, and that of operation.write is 0
          'redis-cluster://@r:1'                               | .read: it is a Redis Cluster, and the resource for writes is none
          'redis-proxies://@r:1'                               | .read: redis-proxies:// cannot be one of several resources
          """)
  void readsThatCannotBeAreNamed(String read, String reason) {
    String table = SIMPLE.formatted(SEPARATE.formatted(read, MASTER));
    if (reason.isEmpty()) {
      assertThat(split(map(table)).parts()).hasSize(2);
      return;
    }
    assertThat(fault(table).reason()).startsWith("at operation" + reason);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          {'type':'multi','resources':['redis://@a:1','redis-cluster-slaves://@b:1']} | .write.resources[1]: it is only for reads
          {'type':'multi','resources':['redis://@a:1','redis-proxies://@b:1']} | .write.resources[1]: redis-proxies:// cannot be
          {'type':'multi','resources':['redis-proxies://@a:1','redis://@b:1']} | .write.resources[0]: redis-proxies:// cannot be
          {'type':'multi','resources':['redis://@a:1','redis://pw@a:1']} | .write.resources[1]: it has a server of operation.write.resources[0], and a copy
          {'type':'multi','resources':['redis://@a:1','redis://@b:1','redis-cluster://@c:1,b:1']} | .write.resources[2]: it has a server of operation.write.resources[1], and
          {'type':'multi','resources':['redis://@a:1','redis://@b:1?db=1']} | .write.resources[1]: its database is 1, and that of operation.write.resources[0] is 0
          {'type':'multi','resources':['redis://@a:1','redis://@a:1']} | .write.resources[1]: it is there twice
          {'type':'simple','resources':['redis://@a:1','redis://@b:1']} | .write: its type is simple
          {'type':'random','resources':['redis://@a:1']}               | .write: its type is unknown
          'redis-cluster-slaves://@a:1'                                | .write: it is only for reads
          'redis-proxies://@a:1'                                       | .write: redis-proxies:// cannot be
          """)
  void writesThatCannotBeAreNamed(String write, String reason) {
    String table = SIMPLE.formatted(SEPARATE.formatted("'redis://@r:1'", write));

    assertThat(fault(table).reason()).startsWith("at operation" + reason);
  }

  private static List<UpstreamSettings> copies(String table) {
    return new TableMapping(NodeTransport.PLAIN)
        .copies(TableParser.parse(table.replace('\'', '"')), "camellia-default");
  }

  private static String multi(String... urls) {
    return SEPARATE.formatted(
        "'redis://@r:1'",
        "{'type':'multi','resources':['redis://@%s']}"
            .formatted(String.join("','redis://@", urls)));
  }

  @Test
  void theOtherResourcesForWritesAreCopies() {
    String table = SIMPLE.formatted(multi("a:1", "b:1", "c:1"));

    assertThat(split(map(table)).write().description()).isEqualTo("a:1");
    assertThat(copies(table)).extracting(each -> each.description()).containsExactly("b:1", "c:1");
    assertThat(copies(SIMPLE.formatted(multi("a:1")))).isEmpty();
    assertThat(copies("redis-proxies://@a:1,b:1")).isEmpty();
  }

  @Test
  void aCopyMayServeReads() {
    String table = SIMPLE.formatted(multi("w:1", "r:1"));

    assertThat(split(map(table)).read()).hasSize(1);
    assertThat(copies(table)).extracting(each -> each.description()).containsExactly("r:1");
  }

  @Test
  void copiesOfBucketsAreDividedAsTheirPrimaries() {
    String buckets =
        "'0': %s, '1': %s, '2': %s"
            .formatted(multi("a:1", "x:1"), multi("b:1", "y:1"), multi("c:1", "x:1"));
    List<UpstreamSettings> copies = copies(SHARDED.formatted(3, buckets));

    ShardLayout layout = shards(copies.getFirst()).layout();
    assertThat(copies).hasSize(1);
    assertThat(layout.shards()).containsExactly("x:1", "y:1");
    assertThat(List.of(0, 1, 2).stream().map(layout::ownerOf)).containsExactly(0, 1, 0);
  }

  @Test
  void aCopyOfSomeBucketsIsNamed() {
    String buckets = "'0': 'redis://@a:1', '1': %s".formatted(multi("b:1", "y:1"));

    InvalidTableException fault =
        catchThrowableOfType(
            InvalidTableException.class, () -> copies(SHARDED.formatted(2, buckets)));
    assertThat(fault.reason())
        .isEqualTo(
            "at operation.operationMap.1.write.resources[1]: another bucket has only one resource"
                + " for writes, and a copy has all keys");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          2   | '0': 'redis://@a:1'                        | : bucket 1 is missing
          2   | '0-1-1': 'redis://@a:1'                    | .0-1-1: bucket 1 is there twice, first at operation.operationMap.0-1-1
          2   | '0-1': 'redis://@a:1', '1': 'redis://@b:1' | .1: bucket 1 is there twice, first at operation.operationMap.0-1
          2   | '0-2': 'redis://@a:1'                      | .0-2: there is no bucket 2: bucketSize is 2
          2   | 'redis://s3cret@a:1': '0-1'                | : key 1 is not a list of buckets
          2   | '0': 'redis://@a:1', '1': 7                | .1: it is not an object
          2   | '0': 'redis://@a:1', '1': 'redis://@a:1?db=1' | .1: its database is 1, and that of operation.operationMap.0 is 0
          2   | '0': 'redis://one@a:1', '1': 'redis://two@a:1' | .1: it has the servers of operation.operationMap.0 with another password
          2   | '0': 'redis://@a:1', '1': 'redis-cluster://@b:1,a:1' | .1: it has a server of operation.operationMap.0 too
          2   | '0': 'redis://@a:1', '1': 'redis-sentinel-slaves://@b:1/m' | .1: it is only for reads
          """)
  void bucketsThatCannotBeAreNamed(int size, String map, String reason) {
    InvalidTableException fault = fault(SHARDED.formatted(size, map));

    assertThat(fault.reason()).startsWith("at operation.operationMap" + reason);
    assertThat(fault.reason() + fault.fix()).doesNotContain("s3cret", "one@", "two@");
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "'2'", "2.5", "99999999999"})
  void theNumberOfBucketsIsANumber(String size) {
    assertThat(fault(SHARDED.formatted(size, "'0': 'redis://@a:1'")).reason())
        .startsWith("at operation.bucketSize: it is not a number from 1");
  }

  @Test
  void aTableIsReadWithinBounds() {
    assertThat(fault("{'a':".repeat(60) + "1" + "}".repeat(60)).reason())
        .startsWith("it has too much");
    assertThat(fault("{" + "'a':1,".repeat(50_000) + "'b':1}").reason())
        .startsWith("it is not JSON, or has a key twice");
    assertThat(fault("{'a':[" + "1,".repeat(50_000) + "1]}").reason())
        .startsWith("it has too much");
    assertThat(fault("").reason()).isEqualTo("it is empty");
  }
}
