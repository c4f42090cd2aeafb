package io.penstock.core.retry;

import io.penstock.core.client.Client;
import io.penstock.core.client.ClientContext;
import io.penstock.core.client.Nodes;
import io.penstock.core.client.RequestReader;
import io.penstock.core.limit.Allowance;
import io.penstock.core.reply.ReplySequence;
import io.penstock.core.transport.Loop;

/** One client, as its exchanges see it. Confined to the client's event loop. */
public final class ExchangeOwner {

  final Client client;
  final ReplySequence replies;
  final Allowance account;
  final Nodes nodes;
  final RequestReader reader;
  final Loop loop;
  final Retries retries;

  /**
   * @param retries handles requests that did not run
   */
  ExchangeOwner(ClientContext context, Retries retries) {
    this.client = context.client();
    this.replies = context.replies();
    this.account = context.account();
    this.nodes = context.nodes();
    this.reader = context.reader();
    this.loop = context.loop();
    this.retries = retries;
  }
}
