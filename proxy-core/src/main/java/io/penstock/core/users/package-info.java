/**
 * The users of a proxy: who they are now, what becomes of their clients when they change, and what
 * each may use. {@code Users} is shared by all event loops.
 */
@NullMarked
package io.penstock.core.users;

import org.jspecify.annotations.NullMarked;
