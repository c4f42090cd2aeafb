package io.penstock.core.transport;

import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoRegistration;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.util.function.BiFunction;

/** A wrapper around an {@link IoHandler}, to change how a loop polls its sockets. */
abstract class ForwardingIoHandler implements IoHandler {

  protected final IoHandler io;

  ForwardingIoHandler(IoHandler io) {
    this.io = io;
  }

  /** Returns a factory that wraps the handlers of {@code factory}, given their loop. */
  static IoHandlerFactory around(
      IoHandlerFactory factory, BiFunction<IoHandler, ThreadAwareExecutor, IoHandler> wrapping) {
    return new IoHandlerFactory() {
      @Override
      public IoHandler newHandler(ThreadAwareExecutor executor) {
        return wrapping.apply(factory.newHandler(executor), executor);
      }

      @Override
      public boolean isChangingThreadSupported() {
        return factory.isChangingThreadSupported();
      }
    };
  }

  @Override
  public void initialize() {
    io.initialize();
  }

  @Override
  public void prepareToDestroy() {
    io.prepareToDestroy();
  }

  @Override
  public void destroy() {
    io.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return io.register(handle);
  }

  @Override
  public void wakeup() {
    io.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> type) {
    return io.isCompatible(type);
  }
}
