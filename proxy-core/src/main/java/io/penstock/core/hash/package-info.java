/**
 * The numbers that other proxies compute of a key: hash functions under their configured names, and
 * hash tags. Bytes enter, a number leaves. Values without state, safe from any thread; nothing is
 * allocated.
 */
@NullMarked
package io.penstock.core.hash;

import org.jspecify.annotations.NullMarked;
