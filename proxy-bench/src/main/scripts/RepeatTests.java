import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.platform.engine.TestSource;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.engine.support.descriptor.MethodSource;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

/**
 * Runs test classes several times in one JVM. {@code repeat_tests.py} starts this source file with the class path of the tests.
 *
 * <p>Arguments: the number of runs, the seconds in which a run may begin, and the names of the classes. After each run it prints one line for each
 * class, which the script reads: {@code RUN passed|failed <seconds> <class>}. Exits with 1 if a run failed.
 */
public class RepeatTests {

    private RepeatTests() {}

    public static void main(String[] arguments) throws ClassNotFoundException {
        int runs = Integer.parseInt(arguments[0]);
        long begin = System.nanoTime();
        long nanoseconds = Long.parseLong(arguments[1]) * 1_000_000_000L;
        List<String> names = List.of(arguments).subList(2, arguments.length);
        boolean failed = false;
        for (int run = 0; run < runs && (run == 0 || System.nanoTime() - begin < nanoseconds); run++) {
            failed |= fails(names);
        }
        System.exit(failed ? 1 : 0); // whatever threads the tests left
    }

    private static boolean fails(List<String> names) {
        var listener = new SummaryGeneratingListener();
        var request = LauncherDiscoveryRequestBuilder.request()
                .selectors(names.stream().map(name -> selectClass(ClassLoader.getSystemClassLoader(), name)).toList())
                .filters(TagFilter.excludeTags("thorough"))
                .build();
        LauncherFactory.create().execute(request, listener);
        var summary = listener.getSummary();
        var output = new PrintWriter(System.out, true);
        summary.printFailuresTo(output, 60);
        Set<String> failed = summary.getFailures().stream()
                .flatMap(failure -> classOf(failure.getTestIdentifier().getSource().orElse(null)))
                .collect(Collectors.toSet());
        if (!summary.getFailures().isEmpty() && failed.isEmpty() || summary.getContainersFoundCount() == 0) {
            failed = Set.copyOf(names);
        }
        double seconds = (summary.getTimeFinished() - summary.getTimeStarted()) / 1000.0 / names.size();
        for (String name : names) {
            output.printf(Locale.ROOT, "RUN %s %.1f %s%n", failed.contains(name) ? "failed" : "passed", seconds, name);
        }
        return !failed.isEmpty();
    }

    /** The top-level class; none for what is no part of a class. */
    private static Stream<String> classOf(TestSource source) {
        String name = switch (source) {
            case MethodSource method -> method.getClassName();
            case ClassSource type -> type.getClassName();
            case null, default -> "";
        };
        return name.isEmpty() ? Stream.empty() : Stream.of(name.split("\\$", 2)[0]);
    }
}
