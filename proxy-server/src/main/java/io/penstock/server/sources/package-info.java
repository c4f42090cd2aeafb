/**
 * What is read before Penstock's own configuration: defaults of Spring's keys enter as the last
 * property source, and configuration files within bounds. On the main thread at the start, and on
 * the thread of the reload.
 */
@NullMarked
package io.penstock.server.sources;

import org.jspecify.annotations.NullMarked;
