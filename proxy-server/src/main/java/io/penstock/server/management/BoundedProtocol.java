package io.penstock.server.management;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's HTTP protocol with bounded {@link Connections}. Tomcat's own timeouts restart with each
 * byte, and its own limit makes new connections wait until others close. Tomcat creates this class
 * by name.
 */
public final class BoundedProtocol extends Http11NioProtocol {

  private static final long PERIOD_MILLIS = 500;

  private final Endpoint endpoint;
  private @Nullable ScheduledFuture<?> timer;

  /** Applies no bounds until {@link #bound} is called. */
  public BoundedProtocol() {
    this(new Endpoint());
  }

  private BoundedProtocol(Endpoint endpoint) {
    super(endpoint);
    this.endpoint = endpoint;
  }

  void bound(Connections connections) {
    endpoint.bounded = connections;
  }

  @Override
  public void start() throws Exception {
    super.start();
    Connections connections = endpoint.bounded;
    if (connections != null && timer == null) {
      timer =
          getUtilityExecutor()
              .scheduleWithFixedDelay(
                  connections::endOverdue, PERIOD_MILLIS, PERIOD_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  @Override
  public void stop() throws Exception {
    ScheduledFuture<?> running = timer;
    if (running != null) {
      running.cancel(false);
      timer = null;
    }
    super.stop();
  }

  private static final class Endpoint extends NioEndpoint {

    private volatile @Nullable Connections bounded;

    @Override
    protected boolean setSocketOptions(SocketChannel socket) {
      Connections all = bounded;
      if (all != null) {
        try {
          all.admit(socket);
        } catch (IOException _) {
          return false; // the peer has closed it; Tomcat closes this side
        }
      }
      return super.setSocketOptions(socket);
    }
  }
}
