@NullMarked
package io.penstock.bench.report;

import org.jspecify.annotations.NullMarked;
