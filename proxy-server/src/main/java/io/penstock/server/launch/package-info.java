/**
 * Where {@code java -jar penstock.jar} begins, on any Java. Its one class is compiled for Java 8,
 * so that an older Java can say that it is too old. On the main thread.
 */
@NullMarked
package io.penstock.server.launch;

import org.jspecify.annotations.NullMarked;
