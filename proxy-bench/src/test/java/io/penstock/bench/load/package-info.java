@NullMarked
package io.penstock.bench.load;

import org.jspecify.annotations.NullMarked;
