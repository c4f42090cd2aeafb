/**
 * What a proxy consists of: listeners and upstreams, their parts on each event loop, and the
 * settings they are made from. Everything is built here; other packages get what they need when
 * they are created.
 */
@NullMarked
package io.penstock.core.assembly;

import org.jspecify.annotations.NullMarked;
