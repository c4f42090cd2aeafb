package io.penstock.bench.load;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.penstock.bench.harness.Target;
import io.penstock.bench.measure.Load;
import io.penstock.bench.measure.LoadFailure;
import io.penstock.bench.measure.Measure;
import io.penstock.bench.measure.Meter;
import io.penstock.bench.measure.Sample;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;

/**
 * GETs at a rate, whether earlier ones are answered or not. A request that a slowed-down connection
 * does not take counts as offered, not as sent. Latencies are those of served requests, from when
 * each was due. The load runs for half the measured time before the measurement, so that all
 * buffers are full.
 *
 * @param rate requests offered in a second
 */
public record OpenLoad(String group, String name, double rate, int connections, Scale scale)
    implements Load {

  private static final int VALUE_BYTES = 30;
  private static final long TICK_MICROS = 1_000;

  @Override
  public boolean suits(Target target) {
    return target instanceof Target.Address;
  }

  @Override
  public void prepare(Target target) {
    closed().prepare(target);
  }

  /** The same requests, each sent when the ones before it are answered. */
  private BatchLoad closed() {
    return new BatchLoad(group, name, BatchPlan.gets(connections, 1, VALUE_BYTES), scale);
  }

  @Override
  public Sample run(Target target, Meter meter) throws InterruptedException {
    if (!(target instanceof Target.Address address)) {
      throw new LoadFailure("this driver knows no cluster");
    }
    var requests = new KeyRequests(scale.keysOf(VALUE_BYTES), VALUE_BYTES, 0);
    var loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    try {
      var offers = new Offers(connect(address, loops), requests, rate);
      EventLoop loop = loops.next();
      Future<?> ticks = loop.scheduleAtFixedRate(offers, 0, TICK_MICROS, TimeUnit.MICROSECONDS);
      Thread.sleep(scale.seconds().toMillis() / 2);
      loop.submit(() -> offers.begin(meter)).get();
      Thread.sleep(scale.seconds().toMillis());
      if (ticks.isDone()) {
        ticks.get(); // it ends by what it threw only
      }
      ticks.cancel(false);
      return loop.submit(() -> offers.end(meter)).get();
    } catch (ExecutionException e) {
      throw new LoadFailure(String.valueOf(e.getCause()), e);
    } finally {
      loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  private List<OpenClient> connect(Target.Address address, MultiThreadIoEventLoopGroup loops) {
    List<OpenClient> clients = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      OpenClient client = new OpenClient(1e9 / rate);
      Channel channel =
          new Bootstrap()
              .group(loops)
              .channel(NioSocketChannel.class)
              .handler(client)
              .connect(address.host(), address.port())
              .syncUninterruptibly()
              .channel();
      client.over(channel);
      clients.add(client);
    }
    return clients;
  }

  /** Sends the requests that are due, tick by tick. On the clients' loop. */
  private static final class Offers implements Runnable {

    private final List<OpenClient> clients;
    private final KeyRequests requests;
    private final double rate;
    private final long start = System.nanoTime();
    private long offered;
    private long begin;
    private long offeredBefore;
    private int turn;

    Offers(List<OpenClient> clients, KeyRequests requests, double rate) {
      this.clients = clients;
      this.requests = requests;
      this.rate = rate;
    }

    @Override
    public void run() {
      long first = offered;
      offered = (long) (rate * (System.nanoTime() - start) / 1e9);
      int share = (int) Math.ceilDiv(offered - first, clients.size());
      for (long next = first; next < offered; next += share) {
        OpenClient client = clients.get(turn++ % clients.size());
        if (client.canTakeMore()) {
          int count = (int) Math.min(share, offered - next);
          ByteBuf batch = client.buffer();
          for (int i = 0; i < count; i++) {
            requests.writeAny(batch);
          }
          client.send(batch, count, start + (long) (1e9 * next / rate));
        }
      }
    }

    /** The measured part begins. */
    void begin(Meter meter) {
      clients.forEach(OpenClient::begin);
      offeredBefore = offered;
      begin = System.nanoTime();
      meter.start();
    }

    Sample end(Meter meter) {
      Tally carriedOut = Tally.empty();
      long refused = 0;
      for (OpenClient client : clients) {
        client.check();
        carriedOut = carriedOut.plus(client.carriedOut());
        refused += client.refused();
      }
      meter.stop(carriedOut.requests());
      long nanos = System.nanoTime() - begin;
      clients.forEach(OpenClient::end);
      return carriedOut
          .sample(nanos)
          .with(Measure.OFFERED, 1e9 * (offered - offeredBefore) / nanos)
          .with(Measure.REJECTED, 1e9 * refused / nanos);
    }
  }
}
