/**
 * Redis's ACL language: users, their rules, and what they permit. Immutable values that any thread
 * may use; nothing here knows of clients or connections.
 */
@NullMarked
package io.penstock.core.acl;

import org.jspecify.annotations.NullMarked;
