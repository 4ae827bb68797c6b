import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Counts what Surefire reported, tells how long each module took, and lists every reason for which a test was skipped. */
class TestSummary {
    public static void main(String[] folders) throws Exception {
        int passed = 0;
        int failed = 0;
        int skipped = 0;
        Map<String, Integer> reasons = new TreeMap<>();
        List<String> times = new ArrayList<>();
        for (String folder : folders) {
            if (!Files.isDirectory(Path.of(folder))) {
                continue;
            }
            int before = passed + failed + skipped;
            double seconds = 0;
            try (DirectoryStream<Path> files = Files.newDirectoryStream(Path.of(folder), "TEST-*.xml")) {
                for (Path file : files) {
                    Element suite = DocumentBuilderFactory.newInstance()
                            .newDocumentBuilder()
                            .parse(file.toFile())
                            .getDocumentElement();
                    seconds += Double.parseDouble(suite.getAttribute("time").replace(",", ""));
                    NodeList cases = suite.getElementsByTagName("testcase");
                    for (int i = 0; i < cases.getLength(); i++) {
                        Element test = (Element) cases.item(i);
                        if (test.getElementsByTagName("failure").getLength() > 0
                                || test.getElementsByTagName("error").getLength() > 0) {
                            failed++;
                        } else if (test.getElementsByTagName("skipped").getLength() > 0) {
                            skipped++;
                            Element why = (Element) test.getElementsByTagName("skipped").item(0);
                            String text = why.getAttribute("message") + why.getTextContent();
                            String reason = text.lines()
                                    .findFirst()
                                    .orElse("")
                                    .replaceFirst("^(\\S+Exception: )?(Assumption failed: )?", "");
                            reasons.merge(reason.isBlank() ? "no reason given" : reason, 1, Integer::sum);
                        } else {
                            passed++;
                        }
                    }
                }
            }
            String module = String.valueOf(Path.of(folder).getName(0));
            times.add(String.format(
                    Locale.ROOT, "%-10s %5d tests, %4.0f s", module, passed + failed + skipped - before, seconds));
        }
        times.forEach(System.out::println);
        reasons.forEach((reason, n) -> System.out.println("skipped " + n + ": " + reason));
        System.out.println(passed + " passed, " + failed + " failed, " + skipped + " skipped");
        System.exit(failed == 0 && passed > 0 ? 0 : 1);
    }
}
