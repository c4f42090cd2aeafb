package io.penstock.core.subscribe;

import io.penstock.core.client.ClientContext;
import io.penstock.core.pubsub.Kind;
import io.penstock.core.route.RoutePlan;

/** {@link Subscriptions#NONE}. Has no state. */
final class NoSubscriptions implements Subscriptions {

  @Override
  public ClientSubscriptions open(ClientContext context, SubscribeLoop subscribeLoop) {
    return new ClientSubscriptions(context, subscribeLoop);
  }

  @Override
  public boolean mayChangeTo(SubscribeLoop other) {
    return true;
  }

  @Override
  public Subscriptions changedTo(ClientContext other, SubscribeLoop otherLoop) {
    return this;
  }

  @Override
  public boolean isSubscriber() {
    return false;
  }

  @Override
  public boolean isRestricted() {
    return false;
  }

  @Override
  public boolean allMatch(NameTest test) {
    return true;
  }

  @Override
  public int count(Kind kind) {
    return 0;
  }

  @Override
  public long size() {
    return 0;
  }

  @Override
  public long bufferedBytes() {
    return 0;
  }

  @Override
  public boolean mustWait(RoutePlan plan) {
    return false;
  }

  @Override
  public int unansweredCalls() {
    return 0;
  }

  @Override
  public void onReplyEnded() {}

  @Override
  public void releaseMessages(long requestNumber) {}

  @Override
  public void beforeProtocolChange() {}

  @Override
  public void onTransactionEnd() {}

  @Override
  public void reset() {}

  @Override
  public void drain() {}

  @Override
  public void discardMessages() {}

  @Override
  public void close() {}
}
