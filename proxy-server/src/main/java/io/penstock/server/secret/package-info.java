/**
 * Secrets: read from files, and kept out of what others can see. On the main thread at start, and
 * on the thread of the reload. No message contains a secret.
 */
@NullMarked
package io.penstock.server.secret;

import org.jspecify.annotations.NullMarked;
