/**
 * Commands whose keys are in several partitions, carried out in steps as if one server had all the
 * keys. A request and its plan enter, one reply leaves. On the client's event loop.
 */
@NullMarked
package io.penstock.core.crossslot;

import org.jspecify.annotations.NullMarked;
