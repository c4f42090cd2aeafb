/** How Penstock itself sends requests to an upstream, beside those of clients. */
@NullMarked
package io.penstock.core.side;

import org.jspecify.annotations.NullMarked;
