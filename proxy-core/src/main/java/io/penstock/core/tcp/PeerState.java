package io.penstock.core.tcp;

/**
 * What the balancing knows about one server. Part of one {@link PeerTable}: never changed after it
 * was published.
 */
final class PeerState {

  /** So long ago that no timeout has not passed. */
  private static final long LONG_AGO = Long.MIN_VALUE / 4;

  long current; // current weight, in thousandths
  int effective; // effective weight
  int connections;
  int fails;
  long accessed = LONG_AGO; // when a connect last failed, in milliseconds
  long checked = LONG_AGO; // when it was last chosen after its ban, or failed
  long recovered = LONG_AGO; // when it was last used again after it was out

  PeerState(int effective) {
    this.effective = effective;
  }

  PeerState copy() {
    PeerState copy = new PeerState(effective);
    copy.current = current;
    copy.connections = connections;
    copy.fails = fails;
    copy.accessed = accessed;
    copy.checked = checked;
    copy.recovered = recovered;
    return copy;
  }
}
