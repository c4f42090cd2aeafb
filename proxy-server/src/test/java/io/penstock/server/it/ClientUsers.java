package io.penstock.server.it;

import io.penstock.core.client.RequestRules;
import io.penstock.core.client.User;
import io.penstock.core.session.Session;
import io.penstock.core.session.SessionLoop;
import io.penstock.core.transport.Loop;
import io.penstock.testkit.wire.RespClient;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Gives clients of a proxy a user with rules, whatever its configuration says. */
final class ClientUsers {

  private ClientUsers() {}

  /** Connects a client that has these rules, with RESP2 or RESP3. */
  static RespClient connect(ProxyFixture proxy, RequestRules rules, int protocol) {
    RespClient client = proxy.connect();
    client.call("HELLO", Integer.toString(protocol));
    become(proxy, client, new User("app", rules));
    return client;
  }

  /** Makes a client a user. */
  static void become(ProxyFixture proxy, RespClient client, User user) {
    long id = Long.parseLong(client.call("CLIENT", "ID").substring(1).strip());
    for (Object slot : slots(proxy)) {
      Object loop = read(slot, "loop");
      if (loop instanceof Loop itsLoop && call(itsLoop, () -> become(slot, id, user))) {
        return;
      }
    }
    throw new IllegalStateException("no client " + id);
  }

  private static boolean become(Object slot, long id, User user) throws Exception {
    if (!(read(slot, "part") instanceof SessionLoop clients)) {
      return false;
    }
    for (Session session : clients.sessions()) {
      if (session.id() == id) {
        Object profile = read(session, "profile");
        profile.getClass().getMethod("user", User.class).invoke(profile, user);
        return true;
      }
    }
    return false;
  }

  private static boolean call(Loop loop, Callable<Boolean> work) {
    try {
      return loop.executor().submit(work).get(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private static List<Object> slots(ProxyFixture proxy) {
    List<Object> slots = new ArrayList<>();
    for (Object listener : proxy.proxy().listeners()) {
      Object loops = read(read(listener, "serving"), "loops");
      slots.addAll((Collection<?>) read(loops, "slots"));
    }
    return slots;
  }

  private static Object read(Object of, String field) {
    for (Class<?> type = of.getClass(); type != null; type = type.getSuperclass()) {
      for (Field each : type.getDeclaredFields()) {
        if (each.getName().equals(field)) {
          return value(each, of);
        }
      }
    }
    throw new IllegalStateException(of.getClass() + " has no " + field);
  }

  private static Object value(Field field, Object of) {
    try {
      field.setAccessible(true);
      Object value = field.get(of);
      return value == null ? "nothing" : value;
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }
}
