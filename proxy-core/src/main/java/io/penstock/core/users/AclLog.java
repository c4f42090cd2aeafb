package io.penstock.core.users;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** The entries of {@code ACL LOG}, as Redis's acl.c keeps them. Safe from any thread. */
public final class AclLog {

  /** Most entries: the default of a server's {@code acllog-max-len}. */
  static final int MOST = 128;

  /** The newest entries among which the same event is looked for. */
  private static final int SEARCHED = 10;

  /** Longest object and user, in characters: clients choose them, and they stay on the heap. */
  static final int LONGEST_TEXT = 1_024;

  /** How long an event is counted by an entry that exists. */
  private static final long SAME_MILLIS = TimeUnit.MINUTES.toMillis(1);

  private final AtomicReference<State> state = new AtomicReference<>(new State(0, List.of()));

  private record State(long nextId, List<Entry> entries) {}

  /**
   * What was denied.
   *
   * @param reason as in the reply: {@code auth}, {@code command}, {@code key} or {@code channel}
   * @param inTransaction whether the client had called {@code MULTI}
   * @param object the command, key or channel; of a longer one, the first {@value #LONGEST_TEXT}
   *     characters
   * @param user its name, or the one that a client gave; cut likewise
   * @param client the client, as in {@code CLIENT LIST}
   */
  public record Event(
      String reason, boolean inTransaction, String object, String user, String client) {

    public Event {
      object = cut(object);
      user = cut(user);
    }

    private static String cut(String text) {
      return text.length() > LONGEST_TEXT ? text.substring(0, LONGEST_TEXT) : text;
    }

    private boolean isLike(Event other) {
      return reason.equals(other.reason)
          && inTransaction == other.inTransaction
          && object.equals(other.object)
          && user.equals(other.user);
    }
  }

  /**
   * An event, and how often it has happened.
   *
   * @param event the last one
   * @param created in milliseconds since the epoch
   * @param updated in milliseconds since the epoch
   */
  public record Entry(long id, Event event, long count, long created, long updated) {}

  /**
   * Adds an event.
   *
   * @param now in milliseconds since the epoch
   */
  public void add(Event event, long now) {
    state.updateAndGet(before -> with(before, event, now));
  }

  private static State with(State before, Event event, long now) {
    List<Entry> entries = new ArrayList<>(before.entries());
    int last = Math.min(SEARCHED, entries.size());
    for (int i = 0; i < last; i++) {
      Entry same = entries.get(i);
      if (same.event().isLike(event) && now - same.updated() <= SAME_MILLIS) {
        entries.set(i, new Entry(same.id(), event, same.count() + 1, same.created(), now));
        return new State(before.nextId(), entries);
      }
    }
    entries.addFirst(new Entry(before.nextId(), event, 1, now, now));
    return new State(
        before.nextId() + 1, entries.size() > MOST ? entries.subList(0, MOST) : entries);
  }

  /** Returns the newest entries, newest first. */
  public List<Entry> latest(long most) {
    List<Entry> all = state.get().entries();
    return List.copyOf(all.subList(0, Math.clamp(most, 0, all.size())));
  }

  /** Removes all entries. */
  public void clear() {
    state.updateAndGet(before -> new State(before.nextId(), List.of()));
  }
}
