/**
 * What clients may read from replicas: {@link io.penstock.server.reads.ReadHistory} is what
 * connections wrote and read, {@link io.penstock.server.reads.ReadChecker} finds reads that break a
 * promise, {@link io.penstock.server.reads.ReadWorkload} makes such histories through Penstock.
 */
@NullMarked
package io.penstock.server.reads;

import org.jspecify.annotations.NullMarked;
