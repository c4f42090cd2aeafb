/**
 * The loads: {@link io.penstock.bench.load.RedisBenchmark} runs {@code redis-benchmark}, {@link
 * io.penstock.bench.load.JedisLoad} has threads with Jedis clients, {@link
 * io.penstock.bench.load.BatchLoad} has many connections on few threads.
 */
@NullMarked
package io.penstock.bench.load;

import org.jspecify.annotations.NullMarked;
