@NullMarked
package io.penstock.server.management;

import org.jspecify.annotations.NullMarked;
