/**
 * The loads: {@link io.penstock.bench.load.RedisBenchmark} runs {@code redis-benchmark}, {@link
 * io.penstock.bench.load.JedisLoad} has threads with Jedis clients, {@link
 * io.penstock.bench.load.BatchLoad} has many connections on few threads, {@link
 * io.penstock.bench.load.OpenLoad} does not wait for replies, {@link
 * io.penstock.bench.load.Subscribers} have patterns.
 */
@NullMarked
package io.penstock.bench.load;

import org.jspecify.annotations.NullMarked;
