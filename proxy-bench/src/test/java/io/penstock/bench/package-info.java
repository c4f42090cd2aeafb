@NullMarked
package io.penstock.bench;

import org.jspecify.annotations.NullMarked;
