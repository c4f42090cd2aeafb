package io.penstock.core.resp;

/** The protocol versions a connection can speak; {@code HELLO} switches. */
public enum Protocol {
  RESP2,
  RESP3
}
