package io.penstock.core.transport;

/** Stub. */
public enum Transport {
  AUTO,
  IO_URING,
  EPOLL,
  KQUEUE,
  NIO
}
