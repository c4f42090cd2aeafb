package io.penstock.core.waiting;

import io.penstock.core.reply.ReplySlot;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.upstream.Partitioner;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * Starts a client's calls that pop from one of several keys or read several streams, and may wait.
 * Confined to the client's event loop.
 */
public final class WaitingCalls {

  private final WaitingContext context;
  private final Partitioner partitioner;

  /**
   * @param partitioner of the upstream
   */
  public WaitingCalls(WaitingContext context, Partitioner partitioner) {
    this.context = context;
    this.partitioner = partitioner;
  }

  private long now() {
    return context.forward().clientContext().loop().tick();
  }

  /**
   * Pops from the first key that has something.
   *
   * @param whole where the client's reply goes
   * @param frame the request, on the heap
   * @param partitions of the arguments that are keys, in their order
   * @param kind what the keys are
   */
  public void pop(
      ReplySlot whole,
      RequestFrame frame,
      CommandSpec spec,
      Map<Integer, Integer> partitions,
      WaitedKey.Kind kind) {
    var request =
        new PopRequest(
            frame,
            spec,
            kind,
            partitions,
            PopRequest.timeout(spec, frame, now()),
            context.forward().clientContext().reader().servers().commands(),
            partitioner.partitionOf(PopRequest.NO_KEY.getBytes(StandardCharsets.US_ASCII)));
    new PopCall(context, whole, request).start();
  }

  /** Reads all streams; the parameters are those of {@link #pop}. */
  public void read(
      ReplySlot whole, RequestFrame frame, CommandSpec spec, Map<Integer, Integer> partitions) {
    new StreamsCall(context, whole, new StreamsRequest(frame, spec, partitions), now()).start();
  }
}
