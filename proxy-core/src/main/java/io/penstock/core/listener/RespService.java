package io.penstock.core.listener;

import io.netty.channel.ChannelHandler;
import io.netty.channel.EventLoop;
import io.penstock.core.observe.CloseReason;
import io.penstock.core.session.SessionLoop;
import java.nio.charset.StandardCharsets;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves clients that speak RESP: each gets a session.
 *
 * @param loops returns the state that the clients of a Netty event loop share
 */
public record RespService(Function<EventLoop, SessionLoop> loops) implements ClientService {

  private static final byte[] TOO_MANY =
      "-ERR max number of clients reached\r\n".getBytes(StandardCharsets.US_ASCII);

  @Override
  public LoopService on(EventLoop loop) {
    return new OnLoop(loops.apply(loop));
  }

  @Override
  public byte[] rejection() {
    return TOO_MANY;
  }

  private record OnLoop(SessionLoop sessions) implements LoopService {

    @Override
    public ChannelHandler handler(@Nullable String user) {
      return new RespHandler(sessions, user);
    }

    @Override
    public void countClose(CloseReason why) {
      sessions.counters().countClose(why);
    }
  }
}
