package io.penstock.bench;

import io.penstock.bench.command.ChartCommand;
import io.penstock.bench.command.CrossSlotCommand;
import io.penstock.bench.command.GrowthCommand;
import io.penstock.bench.command.JmhCommand;
import io.penstock.bench.command.ListenersCommand;
import io.penstock.bench.command.LoadCommand;
import io.penstock.bench.command.MemoryCommand;
import io.penstock.bench.command.OverloadCommand;
import io.penstock.bench.command.PatternsCommand;
import io.penstock.bench.command.StandaloneVersusClusterCommand;
import io.penstock.bench.command.StartCommand;
import io.penstock.bench.command.SuiteCommand;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command line of the load tests; {@code --help} lists its commands. */
@Command(
    name = "penstock-bench",
    description =
        "Load tests of Penstock on this machine. docs/development/benchmarks.md has details.",
    mixinStandardHelpOptions = true,
    subcommands = {
      LoadCommand.class,
      SuiteCommand.class,
      StandaloneVersusClusterCommand.class,
      GrowthCommand.class,
      OverloadCommand.class,
      StartCommand.class,
      MemoryCommand.class,
      ListenersCommand.class,
      PatternsCommand.class,
      CrossSlotCommand.class,
      ChartCommand.class,
      JmhCommand.class
    })
public final class Main {

  private Main() {}

  public static void main(String[] arguments) {
    System.exit(run(arguments));
  }

  /** Runs the command and returns the exit status. */
  public static int run(String... arguments) {
    System.setProperty("java.awt.headless", "true");
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler((failure, line, parsed) -> {
          if (!(failure instanceof IllegalStateException)) {
            failure.printStackTrace(line.getErr());
          }
          line.getErr()
              .println(line.getColorScheme().errorText(String.valueOf(failure.getMessage())));
          return 1;
        })
        .execute(arguments);
  }
}
