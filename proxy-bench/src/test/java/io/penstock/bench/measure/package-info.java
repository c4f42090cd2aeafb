@NullMarked
package io.penstock.bench.measure;

import org.jspecify.annotations.NullMarked;
