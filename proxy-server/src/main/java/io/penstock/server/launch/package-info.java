/**
 * The entry point of {@code java -jar penstock.jar} on any Java. Its one class is compiled for Java
 * 8, so that it can report a Java that is too old. On the main thread.
 */
@NullMarked
package io.penstock.server.launch;

import org.jspecify.annotations.NullMarked;
