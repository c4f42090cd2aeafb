/**
 * The scripts that clients sent, to load them to a node that lacks one. Requests with scripts
 * enter, {@code SCRIPT LOAD} leaves. {@link io.penstock.core.script.Scripts} is safe from any
 * thread; everything else is confined to one event loop.
 */
@NullMarked
package io.penstock.core.script;

import org.jspecify.annotations.NullMarked;
