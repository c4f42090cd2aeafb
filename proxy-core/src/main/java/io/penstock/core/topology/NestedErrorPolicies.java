package io.penstock.core.topology;

import io.penstock.core.upstream.Endpoint;
import io.penstock.core.upstream.ErrorAction;
import io.penstock.core.upstream.ErrorPolicy;
import io.penstock.core.upstream.RetryablePrefix;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** The error policies of the parts: what an error means depends on the node that sent it. */
final class NestedErrorPolicies implements ErrorPolicy {

  private final ErrorPolicy[] ofParts;
  private final ToIntFunction<Endpoint> partOf;

  /**
   * @param ofParts by part
   * @param partOf returns the part of a node, or -1
   */
  NestedErrorPolicies(ErrorPolicy[] ofParts, ToIntFunction<Endpoint> partOf) {
    this.ofParts = ofParts;
    this.partOf = partOf;
  }

  /** Returns a part's policy as the policy of its partitions among those of all parts. */
  static ErrorPolicy from(int firstPartition, ErrorPolicy own) {
    return new ErrorPolicy() {
      @Override
      public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
        return own.actionFor(prefix, scope);
      }

      @Override
      public ErrorPolicy of(@Nullable Endpoint node) {
        ErrorPolicy ofNode = own.of(node);
        return ofNode == own ? this : from(firstPartition, ofNode);
      }

      @Override
      public int partitionOf(int slot) {
        return firstPartition + own.partitionOf(slot);
      }
    };
  }

  @Override
  public ErrorPolicy of(@Nullable Endpoint node) {
    int part = node == null ? -1 : partOf.applyAsInt(node);
    return part < 0 ? this : ofParts[part].of(node);
  }

  /** The action for the error of a node that has left all parts. */
  @Override
  public ErrorAction actionFor(RetryablePrefix prefix, Scope scope) {
    return SINGLE.actionFor(prefix, scope);
  }
}
