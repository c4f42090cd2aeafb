package io.penstock.core.forward;

import io.penstock.core.pubsub.Kind;
import io.penstock.core.pubsub.Name;
import io.penstock.core.pubsub.PendingSubscriptions.Channel;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.route.RoutePlan;
import java.util.ArrayList;
import java.util.List;

/** The channels that the messages of one request are published to. Confined to its loop. */
public final class PublishedChannels {

  /** Channels that are known, at most; messages to others wait for no subscriber. */
  private static final int MOST = 100;

  /** Bytes on the heap for a channel, in addition to its name. */
  private static final int OVERHEAD = 64;

  private final List<Channel> channels = new ArrayList<>(0);
  private long size;

  /** Adds the channel of a message. */
  public void add(RoutePlan.Publish plan, RequestFrame message) {
    if (channels.size() < MOST) {
      channels.add(channel(plan, message));
      size += message.length(1) + OVERHEAD;
    }
  }

  static Channel channel(RoutePlan.Publish plan, RequestFrame message) {
    Name name = Name.copy(message.buffer(), message.offset(1), message.length(1));
    return new Channel(plan.sharded() ? Kind.SHARD : Kind.CHANNEL, name);
  }

  List<Channel> channels() {
    return channels;
  }

  /** Bytes on the heap. */
  public long sizeOnHeap() {
    return size;
  }
}
