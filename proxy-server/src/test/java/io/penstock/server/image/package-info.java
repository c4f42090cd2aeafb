/**
 * Tests of the image that {@code docker/Dockerfile} builds, in front of a Redis Cluster in
 * containers. Skipped if there is no container engine.
 *
 * <p>{@link io.penstock.server.image.Engine} finds the engine and builds the image with its command
 * line, {@link io.penstock.server.image.RedisContainers} is the cluster, {@link
 * io.penstock.server.image.PenstockContainer} a container of the image. Testcontainers starts and
 * removes the containers. All calls block; they are made on the test thread.
 */
@NullMarked
package io.penstock.server.image;

import org.jspecify.annotations.NullMarked;
