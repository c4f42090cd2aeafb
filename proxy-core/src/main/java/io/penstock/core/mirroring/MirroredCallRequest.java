package io.penstock.core.mirroring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.penstock.core.copies.CopyTask;
import io.penstock.core.dispatch.PlacedExchange;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.mirror.Effect;
import io.penstock.core.mirror.MirroredCall;
import io.penstock.core.mirror.Reply;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.retry.ClientExchange;
import io.penstock.core.spec.CommandSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A single call, or one part of a call that is sent in parts, each with keys of its own. */
final class MirroredCallRequest extends MirroredRequest {

  private final CommandSpec spec;
  private final MirroredCall call;
  private final boolean reads; // it goes to copies for its reply only
  private CopyRequest request = new CopyRequest(List.of()); // once the reply is here
  private List<byte[]> keys = List.of();
  private List<Question> questions = List.of(); // behind the latest sending
  private @Nullable ByteBuf awaiting; // the reply, while answers are missing

  /**
   * @param frame the request, or the whole one if this is a part of it; borrowed
   * @param reads whether the call is a read that copies answer too
   */
  MirroredCallRequest(
      LoopMirror mirror,
      Claim claim,
      int database,
      CommandSpec spec,
      RequestFrame frame,
      boolean reads) {
    super(mirror, claim, database);
    this.spec = spec;
    this.reads = reads;
    this.call = MirroredCall.of(spec, frame, mirror.mirror().fieldsMayExpire());
  }

  @Override
  boolean needsWholeReply() {
    return call.needsWholeReply();
  }

  @Override
  public void onDispatched(ClientExchange exchange, Consumer<PlacedExchange> sender) {
    List<CopyRequest> asked = call.questions();
    if (asked.isEmpty()) {
      return;
    }
    List<Question> sent = new ArrayList<>(asked.size());
    questions = sent; // answers to earlier ones do not count
    for (CopyRequest each : asked) {
      var question = new Question(each, exchange, _ -> onAnswered(sent));
      sent.add(question);
    }
    for (Question question : List.copyOf(sent)) {
      sender.accept(question);
    }
  }

  private void onAnswered(List<Question> of) {
    ByteBuf whole = awaiting;
    if (whole != null && of == questions && of.stream().allMatch(Question::isOver)) {
      awaiting = null;
      end(effect(whole), whole);
    }
  }

  @Override
  void read(ClientExchange exchange) {
    RequestFrame frame = exchange.command().frame();
    request = CopyRequest.of(frame);
    keys = request.keys(spec, frame);
  }

  @Override
  void conclude(ByteBuf whole) {
    if (questions.stream().allMatch(Question::isOver)) {
      end(effect(whole), whole);
    } else {
      awaiting = whole;
    }
  }

  private Effect effect(ByteBuf whole) {
    if (reads) {
      return Effect.AS_IS;
    }
    List<Reply> answers = new ArrayList<>(questions.size());
    for (Question question : questions) {
      ByteBuf answer = question.answer();
      if (answer != null) {
        answers.add(Reply.of(answer));
      }
    }
    boolean failed = whole.getByte(0) == '-';
    return answers.size() == questions.size() || failed ? call.effect(whole, answers) : unknown();
  }

  @Override
  Effect unknown() {
    return reads ? Effect.NOTHING : call.unknown(keys);
  }

  @Override
  CopyTask asIs(ByteBuf whole) {
    int length = whole.writerIndex();
    byte[] expected = length <= MOST_COMPARED ? ByteBufUtil.getBytes(whole, 0, length) : null;
    return new CopyTask(database(), List.of(request), spec, expected, keys);
  }

  @Override
  List<byte[]> keys() {
    return keys;
  }
}
