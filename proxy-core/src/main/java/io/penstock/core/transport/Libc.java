package io.penstock.core.transport;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * System calls of Linux that Netty has none for, by Java's foreign function interface. Its users
 * run with {@code --enable-native-access}, as Netty wants it. Safe from any thread.
 */
final class Libc {

  private static final int MSG_DONTWAIT = 0x40; // Linux's, on every processor that Netty is for
  private static final int MSG_NOSIGNAL = 0x4000;

  private static final MethodHandle SEND =
      function(
          "send",
          FunctionDescriptor.of(
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_LONG,
              ValueLayout.JAVA_INT));

  private Libc() {}

  @SuppressWarnings("restricted") // see above
  private static MethodHandle function(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(linker.defaultLookup().findOrThrow(name), descriptor, options);
  }

  /**
   * send(2) that does not wait and raises no signal, whatever the socket was made for.
   *
   * @return how many bytes were taken, or -1
   */
  static long send(int socket, long start, long length) {
    try {
      return (long) SEND.invokeExact(socket, start, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (Throwable e) {
      throw new LinkageError("send", e); // a C function throws nothing
    }
  }

  /**
   * How the calling thread is scheduled: sched_getattr(2) and sched_setattr(2), for which not every
   * libc has a function.
   */
  static final class Scheduling {

    private static final int SIZE = 48; // struct sched_attr, as it began
    private static final long POLICY = 4;
    private static final long FLAGS = 8;
    private static final long RUNTIME = 24; // with SCHED_OTHER the time slice
    private static final int SCHED_OTHER = 0;
    private static final long RESET_ON_FORK = 1;

    private static final MethodHandle SYSCALL =
        function(
            "syscall",
            FunctionDescriptor.of(
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG,
                ValueLayout.ADDRESS,
                ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG),
            Linker.Option.firstVariadicArg(1));

    private Scheduling() {}

    /** To get and to set; none where they are not known. */
    private static long[] callNumbers() {
      return switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
        case "Linux amd64" -> new long[] {315, 314};
        case "Linux aarch64" -> new long[] {275, 274};
        default -> new long[0];
      };
    }

    /**
     * Asks for a longer or shorter time slice, which needs no privilege, for this thread and none
     * that it starts. Not where somebody chose another policy than the usual one.
     *
     * @param nanos 0 leaves it as it is
     * @return what it is then, in nanoseconds; 0 where the kernel has none to choose, as Linux
     *     before 6.12
     */
    static long timeSlice(long nanos) {
      long[] numbers = callNumbers();
      if (numbers.length == 0) {
        return 0;
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment attributes = arena.allocate(SIZE, Long.BYTES);
        boolean known = call(numbers[0], attributes, SIZE);
        if (known && nanos > 0 && attributes.get(ValueLayout.JAVA_INT, POLICY) == SCHED_OTHER) {
          long flags = attributes.get(ValueLayout.JAVA_LONG, FLAGS); // none may be taken back
          attributes.set(ValueLayout.JAVA_LONG, FLAGS, flags | RESET_ON_FORK);
          attributes.set(ValueLayout.JAVA_LONG, RUNTIME, nanos);
          known = call(numbers[1], attributes, 0) && call(numbers[0], attributes, SIZE);
        }
        return known ? attributes.get(ValueLayout.JAVA_LONG, RUNTIME) : 0;
      }
    }

    private static boolean call(long number, MemorySegment attributes, long size) {
      try {
        return (long) SYSCALL.invokeExact(number, 0L, attributes, size, 0L) == 0;
      } catch (Throwable e) {
        throw new LinkageError("syscall", e); // a C function throws nothing
      }
    }
  }
}
