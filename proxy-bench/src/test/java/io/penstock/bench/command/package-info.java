@NullMarked
package io.penstock.bench.command;

import org.jspecify.annotations.NullMarked;
