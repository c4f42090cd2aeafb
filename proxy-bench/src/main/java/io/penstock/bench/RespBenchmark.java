package io.penstock.bench;

import io.netty.buffer.ByteBuf;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.resp.RequestScanner;
import io.penstock.core.resp.ScanResult;
import io.penstock.testkit.wire.Wire;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** The room {@code resp}: where requests and replies end. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 3, time = 1)
public class RespBenchmark {

  private static final String GET = Wire.request("GET", "key:000000012345");
  private static final int PIECE = 64 * 1024;
  private static final int LARGE = 1024 * 1024;

  private final RequestScanner requests = new RequestScanner(Frames.LIMITS);
  private final ByteBuf get = Wire.buffer(GET);
  private final ByteBuf set = Wire.buffer(Wire.request("SET", "key:000000012345", "x".repeat(30)));
  private final ByteBuf pipelinedGets = Wire.buffer(GET.repeat(16));
  private final ByteBuf mset = Wire.buffer(Wire.request(Frames.tenKeys("MSET", 2)));

  private final ReplyScanner replies = new ReplyScanner();
  private final ByteBuf bulk = Wire.buffer(Wire.bulk("x".repeat(30)));
  private final ByteBuf integer = Wire.buffer(":12345\r\n");
  private final ByteBuf status = Wire.buffer("+OK\r\n");
  private final ByteBuf ten = Wire.buffer("*10\r\n" + Wire.bulk("VXK").repeat(10));
  private final ByteBuf hundred = Wire.buffer("*100\r\n" + Wire.bulk("VXK").repeat(100));
  private final ByteBuf sixHundred = Wire.buffer("*600\r\n" + Wire.bulk("VXK").repeat(600));
  private final ByteBuf hash =
      Wire.buffer("*600\r\n" + (Wire.bulk("field:12") + Wire.bulk("x".repeat(30))).repeat(300));
  private final ByteBuf large = Wire.buffer(Wire.bulk("x".repeat(LARGE)));

  @Benchmark
  public int requestGet() {
    return scanRequests(get);
  }

  @Benchmark
  public int requestSet() {
    return scanRequests(set);
  }

  @Benchmark
  @OperationsPerInvocation(16)
  public int requestGetPipelined16() {
    return scanRequests(pipelinedGets);
  }

  @Benchmark
  public int requestMset10() {
    return scanRequests(mset);
  }

  @Benchmark
  public int replyBulk() {
    return replies.scan(bulk, 0, bulk.writerIndex());
  }

  @Benchmark
  public int replyInteger() {
    return replies.scan(integer, 0, integer.writerIndex());
  }

  @Benchmark
  public int replyStatus() {
    return replies.scan(status, 0, status.writerIndex());
  }

  @Benchmark
  public int replyArray10() {
    return replies.scan(ten, 0, ten.writerIndex());
  }

  @Benchmark
  public int replyArray100() {
    return replies.scan(hundred, 0, hundred.writerIndex());
  }

  @Benchmark
  public int replyArray600() {
    return replies.scan(sixHundred, 0, sixHundred.writerIndex());
  }

  /** Fields and values, in turn: no two neighbours are alike. */
  @Benchmark
  public int replyHash300() {
    return replies.scan(hash, 0, hash.writerIndex());
  }

  /** One mebibyte that arrives in pieces: the work must not grow with the pieces' sizes. */
  @Benchmark
  public int replyLargeBulkInPieces() {
    int end = ReplyScanner.INCOMPLETE;
    int total = large.writerIndex();
    for (int from = 0; from < total; from += PIECE) {
      end = replies.scan(large, from, Math.min(from + PIECE, total));
    }
    return end;
  }

  /** Returns the number of arguments of all requests in the buffer. */
  private int scanRequests(ByteBuf buffer) {
    int arguments = 0;
    requests.reset(0);
    while (requests.scan(buffer, buffer.writerIndex()) == ScanResult.REQUEST) {
      arguments += requests.frame().argc();
    }
    return arguments;
  }
}
