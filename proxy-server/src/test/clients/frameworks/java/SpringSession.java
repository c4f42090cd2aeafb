import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.security.Principal;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.session.FindByIndexNameSessionRepository;
import org.springframework.session.SessionRepository;
import org.springframework.session.events.AbstractSessionEvent;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application with Spring Boot, Spring Security and Spring Session through Penstock, without any
 * option for a cluster: {@code java -cp 'lib/*' SpringSession.java HOST PORT default|indexed}. {@code
 * ../../frameworks.txt} describes the scenarios.
 */
final class SpringSession {

  private static final int USERS = 24;

  /** The application: everybody may keep a note in the session; users log in and out. */
  @Configuration(proxyBeanMethods = false)
  @EnableAutoConfiguration
  static class App {

    @Bean
    SecurityFilterChain security(HttpSecurity http) throws Exception {
      return http.csrf(csrf -> csrf.disable())
          .authorizeHttpRequests(
              requests ->
                  requests
                      .requestMatchers("/note", "/short")
                      .permitAll()
                      .anyRequest()
                      .authenticated())
          .formLogin(Customizer.withDefaults())
          .logout(Customizer.withDefaults())
          .build();
    }

    @Bean
    UserDetailsService users() {
      var users = new InMemoryUserDetailsManager();
      for (int i = 0; i < USERS; i++) {
        users.createUser(User.withUsername("user" + i).password("{noop}secret").roles("USER").build());
      }
      return users;
    }

    @Bean
    Notes notes() {
      return new Notes();
    }

    @Bean
    Events events() {
      return new Events();
    }
  }

  /** Requests that use the session. */
  @RestController
  static class Notes {

    @GetMapping("/note")
    String note(HttpServletRequest request) {
      String text = request.getParameter("text");
      if (text != null) {
        request.getSession().setAttribute("note", text);
      }
      HttpSession session = request.getSession(false);
      return session == null ? "no session" : String.valueOf(session.getAttribute("note"));
    }

    @GetMapping("/short")
    String expireSoon(HttpServletRequest request) {
      request.getSession().setMaxInactiveInterval(1);
      return request.getSession().getId();
    }

    @GetMapping("/me")
    String me(Principal principal) {
      return principal.getName();
    }
  }

  /** The events of sessions, each by its class and the session's id. */
  static class Events implements ApplicationListener<AbstractSessionEvent> {

    private final Queue<String> all = new ConcurrentLinkedQueue<>();

    @Override
    public void onApplicationEvent(AbstractSessionEvent event) {
      all.add(event.getClass().getSimpleName() + " " + event.getSessionId());
    }

    void await(String event) throws Exception {
      Scenarios.eventually(event, () -> all.contains(event));
    }
  }

  /** A browser with one cookie. */
  private final class Browser {

    private String cookie = "";

    HttpResponse<String> get(String path) throws IOException, InterruptedException {
      return send(request(path).GET().build());
    }

    HttpResponse<String> post(String path, String form) throws IOException, InterruptedException {
      return send(
          request(path)
              .header("Content-Type", "application/x-www-form-urlencoded")
              .POST(HttpRequest.BodyPublishers.ofString(form))
              .build());
    }

    private HttpRequest.Builder request(String path) {
      return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + path)).header("Cookie", cookie);
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      for (String set : response.headers().allValues("Set-Cookie")) {
        if (set.startsWith("SESSION=")) {
          cookie = set.split(";", 2)[0];
        }
      }
      return response;
    }

    /** The id of the session, as the repository knows it. */
    String session() {
      return new String(Base64.getDecoder().decode(cookie.substring("SESSION=".length())));
    }

    void logIn(int user) throws IOException, InterruptedException {
      HttpResponse<String> response = post("/login", "username=user" + user + "&password=secret");
      Scenarios.equal(response.statusCode(), 302);
      Scenarios.equal(response.headers().firstValue("Location").orElse("").contains("error"), false);
      Scenarios.equal(get("/me").body(), "user" + user);
    }
  }

  private final HttpClient http = HttpClient.newHttpClient();
  private final int httpPort;
  private final SessionRepository<?> sessions;
  private final Events events;

  private SpringSession(ConfigurableApplicationContext app) {
    httpPort = app.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
    sessions = app.getBean(SessionRepository.class);
    events = app.getBean(Events.class);
  }

  private void create() throws Exception {
    var browser = new Browser();
    Scenarios.equal(browser.get("/note?text=hello").body(), "hello");
    Scenarios.equal(browser.get("/note").body(), "hello");
    Scenarios.equal(sessions.findById(browser.session()).getAttribute("note"), "hello");
    Scenarios.equal(new Browser().get("/note").body(), "no session");
  }

  /** Changes the id of the session. */
  private void login() throws Exception {
    var browser = new Browser();
    browser.get("/note?text=before");
    String before = browser.cookie;
    browser.logIn(20);
    Scenarios.equal(browser.cookie.equals(before), false);
    Scenarios.equal(browser.get("/note").body(), "before");
    var stolen = new Browser();
    stolen.cookie = before;
    Scenarios.equal(stolen.get("/note").body(), "no session");
  }

  private void logout() throws Exception {
    var browser = new Browser();
    browser.logIn(21);
    String id = browser.session();
    browser.post("/logout", "");
    Scenarios.equal(sessions.findById(id), null);
    Scenarios.equal(browser.get("/me").statusCode(), 302); // to the login page
  }

  private void manyLogins() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<?>> logins = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int user = i;
        logins.add(threads.submit((Callable<?>) () -> logInTwice(user)));
      }
      for (Future<?> each : logins) {
        each.get();
      }
    }
  }

  /** Each login changes the id of the session. */
  private Void logInTwice(int user) throws Exception {
    var browser = new Browser();
    browser.get("/note?text=of" + user);
    browser.logIn(user);
    browser.logIn(user);
    Scenarios.equal(browser.get("/note").body(), "of" + user);
    return null;
  }

  private void principal() throws Exception {
    var found = (FindByIndexNameSessionRepository<?>) sessions;
    var one = new Browser();
    var two = new Browser();
    one.logIn(22);
    two.get("/note?text=x");
    String created = two.session();
    two.logIn(22);
    Scenarios.equal(found.findByPrincipalName("user22").keySet(), Set.of(one.session(), two.session()));
    String ended = one.session();
    one.post("/logout", "");
    Scenarios.equal(found.findByPrincipalName("user22").keySet(), Set.of(two.session()));
    events.await("SessionCreatedEvent " + created);
    events.await("SessionDeletedEvent " + ended);
  }

  private void expiry() throws Exception {
    var browser = new Browser();
    browser.logIn(23);
    String id = browser.get("/short").body();
    events.await("SessionExpiredEvent " + id);
    Scenarios.equal(sessions.findById(id), null);
    Scenarios.equal(browser.get("/note").body(), "no session");
  }

  public static void main(String[] arguments) {
    boolean indexed = arguments[2].equals("indexed");
    boolean succeeded;
    try (ConfigurableApplicationContext app =
        new SpringApplicationBuilder(App.class)
            .properties(
                "spring.data.redis.host=" + arguments[0],
                "spring.data.redis.port=" + arguments[1],
                "spring.session.data.redis.repository-type=" + arguments[2],
                "spring.session.data.redis.configure-action=none", // the nodes notify already
                "server.port=0",
                "spring.main.banner-mode=off",
                "logging.level.root=ERROR")
            .run()) {
      var suite = new SpringSession(app);
      var scenarios =
          new Scenarios()
              .add("create", suite::create)
              .add("login", suite::login)
              .add("logout", suite::logout)
              .add("many-logins", suite::manyLogins);
      if (indexed) {
        scenarios.add("principal", suite::principal).add("expiry", suite::expiry);
      }
      succeeded = scenarios.run();
    }
    System.exit(succeeded ? 0 : 1);
  }
}
