/**
 * Reads the configuration again while Penstock runs, and applies what has changed.
 *
 * <p>{@link io.penstock.server.reload.HangupSignal}, {@link
 * io.penstock.server.reload.PenstockEndpoint} and the watch of {@link
 * io.penstock.server.reload.ReloadThread} ask for a reload; {@link
 * io.penstock.server.reload.Reload} does it on that thread, one at a time. {@link
 * io.penstock.server.reload.ConfigurationInForce} is the result, which any thread reads.
 */
@NullMarked
package io.penstock.server.reload;

import org.jspecify.annotations.NullMarked;
