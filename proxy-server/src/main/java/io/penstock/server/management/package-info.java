/**
 * What keeps the management port answering probes whatever else is asked there: connections are few
 * and end in time, requests that nothing reads or serves are refused before they take a thread for
 * long, and everything but health has fewer threads than there are.
 *
 * <p>{@code Connections} is used by Tomcat's acceptor, its request threads and its timer.
 */
@NullMarked
package io.penstock.server.management;

import org.jspecify.annotations.NullMarked;
