/**
 * Extensions of JUnit for all tests of a module, which names them in {@code
 * META-INF/services/org.junit.jupiter.api.extension.Extension}.
 */
@NullMarked
package io.penstock.testkit.junit;

import org.jspecify.annotations.NullMarked;
