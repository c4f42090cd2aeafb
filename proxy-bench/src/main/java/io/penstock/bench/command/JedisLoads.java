package io.penstock.bench.command;

import io.penstock.bench.load.JedisLoad;
import io.penstock.bench.load.JedisOperation;
import io.penstock.bench.measure.Load;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options for the loads that Jedis clients make. */
@SuppressWarnings("NullAway.Init") // picocli sets them
final class JedisLoads {

  @Option(
      names = "--threads",
      split = ",",
      defaultValue = "1,10,120",
      description = "Threads that use the client (${DEFAULT-VALUE}).")
  List<Integer> threads;

  @Option(
      names = "--operations",
      split = ",",
      defaultValue = "get,get-beside-large,setex,pipeline-get,mget,mset",
      converter = OperationName.class,
      description = "Operations to measure (${DEFAULT-VALUE}).")
  List<JedisOperation> operations;

  @Option(
      names = "--rate",
      defaultValue = "0",
      description =
          "Operations started per second, whether earlier ones are answered or not; measured from"
              + " when they were due. 0: each thread waits for its reply.")
  double rate;

  @Option(
      names = "--large-rate",
      defaultValue = "0",
      description =
          "Values of 1 MiB that the other client of get-beside-large fetches per second; 0: the next"
              + " as soon as the last one has arrived.")
  double largeRate;

  List<Load> of(Common common) {
    List<Load> loads = new ArrayList<>();
    for (JedisOperation operation : operations) {
      for (int count : common.smoke ? List.of(1, 4) : threads) {
        loads.add(new JedisLoad(operation, count, common.scale(), rate, largeRate));
      }
    }
    return loads;
  }

  void describe(Map<String, String> facts) {
    facts.put(
        "Pace",
        rate > 0
            ? "%.0f operations a second, latency from when each was due".formatted(rate)
            : "each thread waits for its reply before the next operation");
    if (operations.contains(JedisOperation.GET_BESIDE_LARGE)) {
      facts.put(
          "Values of 1 MiB",
          largeRate > 0 ? "%.0f a second".formatted(largeRate) : "one after the other");
    }
  }

  /** {@code pipeline-get} and the like. */
  static final class OperationName implements ITypeConverter<JedisOperation> {

    @Override
    public JedisOperation convert(String value) {
      return Arrays.stream(JedisOperation.values())
          .filter(operation -> operation.label().equals(value))
          .findFirst()
          .orElseThrow(() ->
              new TypeConversionException(
                  "there is no "
                      + value
                      + "; there are "
                      + Arrays.stream(JedisOperation.values())
                          .map(JedisOperation::label)
                          .collect(Collectors.joining(", "))));
    }
  }
}
