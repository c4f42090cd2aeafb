package io.penstock.core.dispatch;

import io.penstock.core.node.BackendNode;
import java.util.ArrayList;
import java.util.List;

/**
 * A node of one loop that reads may be sent to: a replica, or a master where the policy allows it.
 * Clients keep the target that they read from, so the same node stays the same object. Confined to
 * that loop.
 */
public final class ReadTarget {

  private final BackendNode node;
  private final int number;
  private final List<ReadGroup> groups = new ArrayList<>(1); // that it may be read for
  private boolean leftOut;
  private long leftOutUntil; // if leftOut

  ReadTarget(BackendNode node, int number) {
    this.node = node;
    this.number = number;
  }

  public BackendNode node() {
    return node;
  }

  /** A number that no other target of the loop has at the same time, from 0. */
  public int number() {
    return number;
  }

  /** It may not be read any more. */
  void removeGroups() {
    groups.clear();
  }

  /** It may be read for one more group. */
  void addGroup(ReadGroup readFor) {
    groups.add(readFor);
  }

  /** Returns whether a snapshot names it as a node that may be read. */
  boolean isListed() {
    return !groups.isEmpty();
  }

  /** Leaves it out for some time: it has just failed to serve a read. */
  void leaveOut(long until) {
    leftOut = true;
    leftOutUntil = until;
  }

  /** Returns whether it is left out, or was and has not been asked for since. */
  boolean isLeftOut() {
    return leftOut;
  }

  /** Returns whether it may be read for the group now. */
  boolean mayBeReadFor(ReadGroup which, long now) {
    if (leftOut && now - leftOutUntil >= 0) {
      leftOut = false;
    }
    return !leftOut && groups.contains(which);
  }
}
