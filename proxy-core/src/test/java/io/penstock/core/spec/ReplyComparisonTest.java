package io.penstock.core.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.core.command.CommandTable;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Replies of which commands are compared, and how. */
class ReplyComparisonTest {

  private static final CommandTable COMMANDS = CommandTable.load();

  @ParameterizedTest
  @CsvSource({
    "EXACT, get mget exists hget hmget lrange zrange zrangebyscore strlen type getrange expiretime",
    "ANY_ORDER, smembers sinter sunion sdiff hkeys hvals geosearch georadius_ro",
    "PAIRS_IN_ANY_ORDER, hgetall",
    "NONE, set incr getset srandmember hrandfield zrandmember randomkey ttl pttl scan hscan sscan",
    "NONE, dump touch xread xreadgroup xpending eval eval_ro evalsha_ro fcall_ro sort sort_ro",
    "NONE, keys dbsize pfcount memory|usage object|encoding object|idletime xinfo|stream watch",
    "NONE, vsim vrandmember subscribe publish wait ping debug blpop"
  })
  void theTableSaysHow(ReplyComparison comparison, String names) {
    for (String name : List.of(names.split(" "))) {
      CommandSpec spec = Objects.requireNonNull(COMMANDS.byName(name), name);

      assertThat(spec.comparison()).as(name).isEqualTo(comparison);
    }
  }

  @Test
  void nothingThatWritesIsCompared() {
    assertThat(COMMANDS.specs())
        .filteredOn(spec -> spec.comparison() != ReplyComparison.NONE)
        .isNotEmpty()
        .allSatisfy(spec -> {
          assertThat(spec.isReadOnly()).isTrue();
          assertThat(spec.isWrite()).isFalse();
          assertThat(spec.isScript()).isFalse();
          assertThat(spec.hasKeys()).isTrue();
        });
  }
}
