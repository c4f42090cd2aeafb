package io.penstock.bench;

import io.penstock.core.acl.AclRuleException;
import io.penstock.core.acl.AclRules;
import io.penstock.core.acl.AclUser;
import io.penstock.core.acl.Denial;
import io.penstock.core.acl.Permissions;
import io.penstock.core.command.Command;
import io.penstock.core.command.CommandTable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code acl}: whether a user of 20 rules may send a request. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class AclBenchmark {

  private final CommandTable table = CommandTable.load();
  private final Permissions user = permissions();

  private final Command get = command("GET", "key:000000012345");
  private final Command set = command("SET", "key:000000012345", "value", "EX", "10");
  private final Command glob = command("GET", "user:1000:name");
  private final Command mget = command(Frames.tenKeys("MGET", 1));
  private final Command publish = command("PUBLISH", "news:1", "message");

  private Permissions permissions() {
    List<String> rules = new ArrayList<>(List.of("on", "+@all", "-@dangerous", "-@admin"));
    for (int i = 0; i < 6; i++) {
      rules.add("~app" + i + ":*");
    }
    rules.addAll(List.of("+keys", "-flushall", "+select|0", "&news:*", "~user:*:name", "%R~{*"));
    rules.addAll(List.of("-config", "+config|get", "~key:*", "%R~shared:*"));
    try {
      return Permissions.of(AclRules.change(AclUser.created("app"), rules, table), table);
    } catch (AclRuleException e) {
      throw new IllegalStateException(e);
    }
  }

  private Command command(String... arguments) {
    var command = new Command(table, Frames.of(arguments));
    command.resolve();
    Denial denial = user.denial(command);
    if (denial != null) {
      throw new IllegalStateException(denial.toString());
    }
    return command;
  }

  @Benchmark
  public @Nullable Denial oneKey() {
    return user.denial(get);
  }

  @Benchmark
  public @Nullable Denial oneKeyWithOptions() {
    return user.denial(set);
  }

  @Benchmark
  public @Nullable Denial oneKeyByPattern() {
    return user.denial(glob);
  }

  @Benchmark
  public @Nullable Denial tenKeys() {
    return user.denial(mget);
  }

  @Benchmark
  public @Nullable Denial channel() {
    return user.denial(publish);
  }
}
