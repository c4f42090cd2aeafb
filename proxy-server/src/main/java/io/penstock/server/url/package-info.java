/**
 * Reads resource URLs.
 *
 * <p>Input: one URL, as {@code resource} or an upstream of the configuration has it, and the {@link
 * io.penstock.server.url.UrlRules} of its configuration tree. Output: a {@link
 * io.penstock.server.url.Resource}, or an exception with a reason and a fix. No message contains a
 * password. Everything runs on one thread, at start or at a reload.
 */
@NullMarked
package io.penstock.server.url;

import org.jspecify.annotations.NullMarked;
