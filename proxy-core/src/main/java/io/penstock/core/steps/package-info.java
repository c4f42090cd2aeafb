/**
 * What commands of several steps are made of: connections on which keys stay watched from one step
 * to the next, and whole replies. Used by commands and transactions over several partitions.
 */
@NullMarked
package io.penstock.core.steps;

import org.jspecify.annotations.NullMarked;
