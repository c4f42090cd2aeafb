package io.penstock.core;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URI;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * The targets of links between the repository's files exist: the file, and the heading in it. Web
 * addresses are not requested: the build needs no network.
 */
class DocumentLinksTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Set<String> SKIPPED = Set.of("target", ".git", ".idea");

  private static final Pattern CODE_BLOCK = Pattern.compile("(?ms)^ *(```|~~~).*?^ *\\1 *$");
  private static final Pattern CODE_SPAN = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK =
      Pattern.compile("\\]\\(<?([^)\\s>]+)>?(?:\\s+\"[^\"]*\")?\\)|(?:src|href)=\"([^\"]+)\"");
  private static final Pattern HEADING = Pattern.compile("(?m)^#{1,6} +(.+?) *#*$");
  private static final Pattern LABEL = Pattern.compile("\\[([^\\]]*)\\]\\([^)]*\\)");

  /**
   * A page that a source file, a script or a manifest names, by its path from the repository's
   * root.
   */
  private static final Pattern NAMED_PAGE =
      Pattern.compile("(?<![\\w/.-])(docs/[\\w/-]+\\.md)(?:#([\\w-]+))?");

  private static final Set<String> TEXTS =
      Set.of("java", "py", "sh", "xml", "yml", "yaml", "txt", "options", "table", "svg");

  private final Map<Path, Set<String>> anchors = new HashMap<>();

  @Test
  void everyLinkOfADocumentLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : files(Set.of("md"))) {
      String text = CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
      text = CODE_SPAN.matcher(text).replaceAll("x");
      for (MatchResult link : LINK.matcher(text).results().toList()) {
        links++;
        String target = link.group(1) == null ? link.group(2) : link.group(1);
        if (!leadsSomewhere(page, target)) {
          broken.add(ROOT.relativize(page) + " -> " + target);
        }
      }
    }

    assertThat(links).as("links found").isGreaterThan(200);
    assertThat(broken).isEmpty();
  }

  @Test
  void everyPageThatAFileNamesExists() throws IOException {
    List<String> broken = new ArrayList<>();
    for (Path file : files(TEXTS)) {
      for (MatchResult named : NAMED_PAGE.matcher(Files.readString(file)).results().toList()) {
        String anchor = named.group(2) == null ? "" : "#" + named.group(2);
        if (!leadsSomewhere(ROOT.resolve("README.md"), named.group(1) + anchor)) {
          broken.add(ROOT.relativize(file) + " -> " + named.group());
        }
      }
    }

    assertThat(broken).isEmpty();
  }

  private boolean leadsSomewhere(Path page, String link) throws IOException {
    URI uri = URI.create(link);
    if (uri.getScheme() != null) {
      return Set.of("http", "https", "mailto").contains(uri.getScheme());
    }
    Path file = uri.getPath().isEmpty() ? page : page.resolveSibling(uri.getPath()).normalize();
    if (!file.startsWith(ROOT) || !Files.exists(file)) {
      return false;
    }
    String anchor = uri.getFragment();
    return anchor == null || !file.toString().endsWith(".md") || anchors(file).contains(anchor);
  }

  private Set<String> anchors(Path page) throws IOException {
    Set<String> known = anchors.get(page);
    if (known == null) {
      known = new TreeSet<>();
      String text = CODE_BLOCK.matcher(Files.readString(page)).replaceAll("");
      for (MatchResult heading : HEADING.matcher(text).results().toList()) {
        String anchor = anchor(heading.group(1));
        String unique = anchor;
        for (int i = 1; !known.add(unique); i++) {
          unique = anchor + "-" + i;
        }
      }
      anchors.put(page, known);
    }
    return known;
  }

  /** Returns the anchor of a heading, as GitHub and GitLab generate it. */
  private static String anchor(String heading) {
    return LABEL
        .matcher(heading)
        .replaceAll("$1")
        .toLowerCase(Locale.ROOT)
        .replaceAll("[^\\p{L}\\p{N}_ -]", "")
        .replace(' ', '-');
  }

  private static List<Path> files(Set<String> extensions) throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        ROOT,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            return SKIPPED.contains(folder.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            String name = file.getFileName().toString();
            if (extensions.contains(name.substring(name.lastIndexOf('.') + 1))) {
              found.add(file);
            }
            return FileVisitResult.CONTINUE;
          }
        });
    return found;
  }
}
