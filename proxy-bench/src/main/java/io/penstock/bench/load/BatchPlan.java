package io.penstock.bench.load;

/**
 * What a {@link BatchLoad} sends.
 *
 * @param threads that drive the connections
 * @param connectionsPerThread at the same time
 * @param pipeline requests that a connection sends before it waits for their replies
 * @param valueBytes length of every value
 * @param sets part of the requests that are SET, 0 to 1; the others are GET
 */
public record BatchPlan(
    int threads, int connectionsPerThread, int pipeline, int valueBytes, double sets) {

  /** GET alone, on one thread. */
  public static BatchPlan gets(int connections, int pipeline, int valueBytes) {
    return new BatchPlan(1, connections, pipeline, valueBytes, 0);
  }

  /** Of all threads. */
  public int connections() {
    return threads * connectionsPerThread;
  }
}
