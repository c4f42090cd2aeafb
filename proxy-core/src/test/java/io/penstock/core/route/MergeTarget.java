package io.penstock.core.route;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.penstock.core.fuzz.LettuceReplies;
import io.penstock.core.fuzz.Oracle;
import io.penstock.core.resp.ReplyScanner;
import io.penstock.core.spec.Merge;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * Fuzzes the merging of replies. The first byte chooses how they are merged, the second limits
 * their number; the rest is replies.
 */
public final class MergeTarget {

  private static final int CONTROL = 2;
  private static final int MAX_PARTS = 4;
  private static final Merge[] MERGES = Merge.values();

  private static final LettuceReplies LETTUCE = new LettuceReplies();

  private MergeTarget() {}

  public static void fuzzerTestOneInput(byte[] data) {
    if (data.length < CONTROL) {
      return;
    }
    List<ByteBuf> replies = replies(data, 1 + (data[1] & 0xFF) % MAX_PARTS);
    if (replies.isEmpty()) {
      return;
    }
    replies.forEach(MergeTarget::compareWithLettuce);
    Merge how = MERGES[(data[0] & 0xFF) % MERGES.length];
    ByteBuf merged = Unpooled.buffer();
    boolean success =
        new ReplyMerger((buffer, from, to) -> merged.writeBytes(buffer, from, to - from))
            .merge(how, replies.toArray(ByteBuf[]::new), detail(how, data, replies.size()));
    int end = new ReplyScanner().scan(merged, 0, merged.writerIndex());
    Oracle.requireSame("the end of the merged reply", merged.writerIndex(), end);
    Oracle.requireSame("an error", !success, merged.getByte(0) == '-');
  }

  private static List<ByteBuf> replies(byte[] data, int limit) {
    ByteBuf wire = Unpooled.wrappedBuffer(data);
    var scanner = new ReplyScanner();
    List<ByteBuf> replies = new ArrayList<>();
    for (int at = CONTROL; replies.size() < limit; ) {
      int end = scanner.scan(wire, at, data.length);
      if (end < 0) {
        break;
      }
      replies.add(wire.slice(at, end - at));
      at = end;
    }
    return replies;
  }

  /** Returns some order of keys for arrays by key, else a number of entries. */
  private static int[] detail(Merge how, byte[] data, int parts) {
    if (how != Merge.ARRAY_BY_KEY) {
      return new int[] {(data[1] & 0xFF) >> 2};
    }
    int[] groups = new int[(data[1] & 0xFF) >> 4];
    for (int i = 0; i < groups.length; i++) {
      groups[i] = (data[1] >> (i % 4)) & 1;
      groups[i] %= parts;
    }
    return groups;
  }

  private static void compareWithLettuce(ByteBuf reply) {
    LettuceReplies.Decoded reference = LETTUCE.decode(reply.duplicate());
    if (reference.outcome() != LettuceReplies.Outcome.WHOLE) {
      return;
    }
    ReplyTree tree;
    try {
      tree = ReplyTree.read(reply);
    } catch (UnmergeableException e) {
      return;
    }
    var written = new StringBuilder();
    tree.write(written);
    ByteBuf again = Unpooled.copiedBuffer(written, StandardCharsets.ISO_8859_1);
    Oracle.requireSame("parsed, written and parsed", tree, ReplyTree.read(again));
    List<String> tokens = new ArrayList<>();
    if (tokens(tree, tokens)) {
      Oracle.requireSame("the content", reference.tokens(), tokens);
    }
  }

  /** Returns false for values that are passed on without being read. */
  private static boolean tokens(ReplyTree tree, List<String> into) {
    return switch (tree) {
      case ReplyTree.Leaf leaf -> token(leaf, into);
      case ReplyTree.Aggregate(char type, List<ReplyTree> elements) -> {
        into.add(
            switch (type) {
              case '%' -> "map " + elements.size() / 2;
              case '~' -> "set " + elements.size();
              default -> "array " + elements.size();
            });
        boolean all = true;
        for (ReplyTree element : elements) {
          all &= tokens(element, into);
        }
        yield all;
      }
    };
  }

  private static boolean token(ReplyTree.Leaf leaf, List<String> into) {
    char type = leaf.bytes().charAt(0);
    switch (type) {
      case '+' -> into.add("text " + leaf.text());
      case '$', '*' -> into.add(leaf.bytes().charAt(1) == '-' ? "nil" : "text " + leaf.text());
      case ':' -> {
        try {
          into.add("integer " + leaf.integer());
        } catch (NumberFormatException | UnmergeableException e) {
          return false; // merging it is an error
        }
      }
      case '_' -> into.add("nil");
      default -> {
        return false;
      }
    }
    return true;
  }
}
