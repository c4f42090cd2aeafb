package io.penstock.core.output;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;

/**
 * Linux system calls that Netty does not offer, by Java's foreign function interface. Requires
 * {@code --enable-native-access}, as Netty does. Safe from any thread.
 */
public final class Libc {

  private static final int MSG_DONTWAIT =
      0x40; // Linux's value on all processors that Netty supports
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
   * Calls send(2) without blocking and without raising a signal, whatever the socket's options.
   *
   * @return the number of bytes sent, or -1
   */
  static long send(int socket, long start, long length) {
    try {
      return (long) SEND.invokeExact(socket, start, length, MSG_DONTWAIT | MSG_NOSIGNAL);
    } catch (Throwable e) {
      throw new LinkageError("send", e); // a C function throws nothing
    }
  }

  /**
   * The scheduling of the calling thread: sched_getattr(2) and sched_setattr(2), for which not
   * every libc has a function.
   */
  public static final class Scheduling {

    private static final int SIZE = 48; // the first version of struct sched_attr
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

    /** The numbers of sched_getattr and sched_setattr; empty where they are not known. */
    private static long[] callNumbers() {
      return switch (System.getProperty("os.name") + " " + System.getProperty("os.arch")) {
        case "Linux amd64" -> new long[] {315, 314};
        case "Linux aarch64" -> new long[] {275, 274};
        default -> new long[0];
      };
    }

    /**
     * Requests a longer or shorter time slice for this thread, but not for threads that it starts.
     * Needs no privilege. Does nothing if the thread has another policy than SCHED_OTHER.
     *
     * @param nanos the time slice; 0 to leave it unchanged
     * @return the resulting time slice in nanoseconds; 0 if the kernel has no setting for it, as
     *     Linux before 6.12
     */
    public static long timeSlice(long nanos) {
      long[] numbers = callNumbers();
      if (numbers.length == 0) {
        return 0;
      }
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment attributes = arena.allocate(SIZE, Long.BYTES);
        boolean known = call(numbers[0], attributes, SIZE);
        if (known && nanos > 0 && attributes.get(ValueLayout.JAVA_INT, POLICY) == SCHED_OTHER) {
          long flags =
              attributes.get(ValueLayout.JAVA_LONG, FLAGS); // those that are set cannot be cleared
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
