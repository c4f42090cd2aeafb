package io.penstock.core.transaction;

import io.penstock.core.spec.Merge;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which replies make the reply to one command of a transaction over several partitions.
 *
 * @param blocks whose next reply belongs to it
 * @param merge how they become one; null for the first of them
 * @param detail see {@link io.penstock.core.route.ReplyMerger#begin}
 */
record ReplySource(List<PartitionBlock> blocks, @Nullable Merge merge, int[] detail) {}
