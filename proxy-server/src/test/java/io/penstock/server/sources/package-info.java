@NullMarked
package io.penstock.server.sources;

import org.jspecify.annotations.NullMarked;
