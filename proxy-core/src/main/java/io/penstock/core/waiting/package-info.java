/**
 * Calls that wait until one of several keys exists, in different partitions: one poller for all
 * clients of a loop asks for the keys, and wakes the calls one after the other. A request enters,
 * one reply leaves. On the client's event loop.
 */
@NullMarked
package io.penstock.core.waiting;

import org.jspecify.annotations.NullMarked;
