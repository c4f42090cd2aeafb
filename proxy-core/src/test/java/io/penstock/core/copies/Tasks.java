package io.penstock.core.copies;

import io.penstock.core.backend.ConnectionKey;
import io.penstock.core.command.CommandTable;
import io.penstock.core.command.Requests;
import io.penstock.core.mirror.CopyRequest;
import io.penstock.core.resp.RequestFrame;
import io.penstock.core.spec.CommandSpec;
import io.penstock.core.spec.KeyPositions;
import io.penstock.testkit.wire.Wire;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Tasks for tests; requests are words between blanks. */
final class Tasks {

  static final int DEFAULT = ConnectionKey.DEFAULT_DATABASE;
  static final CommandTable TABLE = CommandTable.load();

  private Tasks() {}

  /** A client's own request; {@code expected} without its CR LF, null for no comparison. */
  static CopyTask asIs(String call, @Nullable String expected) {
    RequestFrame frame = Requests.call(call);
    CommandSpec spec = Objects.requireNonNull(TABLE.find(frame));
    byte[] reply = expected == null ? null : Wire.bytes(expected + "\r\n");
    return new CopyTask(DEFAULT, List.of(CopyRequest.of(frame)), spec, reply, keys(spec, frame));
  }

  private static List<byte[]> keys(CommandSpec spec, RequestFrame frame) {
    var positions = new KeyPositions();
    spec.findKeys(frame, positions);
    List<byte[]> keys = new ArrayList<>();
    for (int i = 0; i < positions.size(); i++) {
      keys.add(Wire.bytes(frame.text(positions.get(i))));
    }
    return keys;
  }

  /** Requests of Penstock with the keys of all of them. */
  static CopyTask instead(int database, String... calls) {
    List<CopyRequest> requests = new ArrayList<>();
    List<byte[]> keys = new ArrayList<>();
    for (String call : calls) {
      RequestFrame frame = Requests.call(call);
      requests.add(CopyRequest.of(frame));
      keys.addAll(keys(Objects.requireNonNull(TABLE.find(frame)), frame));
    }
    return new CopyTask(database, requests, null, null, keys);
  }

  static List<CopyRequest> requests(String call) {
    return List.of(CopyRequest.of(Requests.call(call)));
  }

  static CopyTask withKeys(CopyTask task, String... keys) {
    return new CopyTask(
        task.database(),
        task.requests(),
        task.spec(),
        task.expected(),
        Arrays.stream(keys).map(Wire::bytes).toList());
  }
}
