/**
 * Spring Boot's SSL bundles for the core: read with the configuration, before there is any bean,
 * and replaced when their files change.
 */
@NullMarked
package io.penstock.server.tls;

import org.jspecify.annotations.NullMarked;
