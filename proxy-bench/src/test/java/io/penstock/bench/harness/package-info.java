@NullMarked
package io.penstock.bench.harness;

import org.jspecify.annotations.NullMarked;
