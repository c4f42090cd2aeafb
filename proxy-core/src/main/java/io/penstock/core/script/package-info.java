/**
 * The scripts that clients brought, so that a node which lacks one can be given it. Requests that
 * carry scripts enter, {@code SCRIPT LOAD} leaves. {@link io.penstock.core.script.Scripts} are for
 * any thread; all else is for one event loop.
 */
@NullMarked
package io.penstock.core.script;

import org.jspecify.annotations.NullMarked;
