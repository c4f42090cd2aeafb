/**
 * The image that {@code docker/Dockerfile} builds, run by a container engine in front of a Redis
 * Cluster in containers. Skipped where no engine answers.
 *
 * <p>{@link io.penstock.server.image.Engine} finds the engine and builds the image with its command
 * line, {@link io.penstock.server.image.RedisContainers} is the cluster, {@link
 * io.penstock.server.image.PenstockContainer} a container of the image. Testcontainers starts and
 * removes the containers. All calls block; the tests' thread makes them.
 */
@NullMarked
package io.penstock.server.image;

import org.jspecify.annotations.NullMarked;
