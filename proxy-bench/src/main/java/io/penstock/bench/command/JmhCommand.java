package io.penstock.bench.command;

import io.penstock.bench.report.JmhTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Makes a page of what JMH has written. */
@Command(
    name = "jmh",
    description = "Makes a Markdown table of a result of JMH.",
    mixinStandardHelpOptions = true)
@SuppressWarnings("NullAway.Init") // picocli sets options
public final class JmhCommand implements Callable<Integer> {

  @Parameters(index = "0", description = "The JSON file that JMH wrote.")
  Path json;

  @Parameters(index = "1", description = "The Markdown file to write.")
  Path page;

  @Override
  public Integer call() throws IOException {
    Files.writeString(page, JmhTable.page(json, Common.checkout()));
    return 0;
  }
}
