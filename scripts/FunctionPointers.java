import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Makes function pointer types of prototypes: reads preprocessed C on standard input and writes, for each function named
 * as an argument, {@code typedef T (*PFN_NAME)(PARAMETERS);}. jextract makes of them classes that call any address, where
 * of a prototype it makes one that looks the function up once and for all. With {@code PANAMARK_CHECK} the compiler
 * compares every type with its prototype.
 */
class FunctionPointers {
    public static void main(String[] functions) throws Exception {
        String text = new String(System.in.readAllBytes(), StandardCharsets.UTF_8);
        List<String> missing = new ArrayList<>();
        StringBuilder out = new StringBuilder();
        for (String name : functions) {
            Matcher found = Pattern.compile("(?:^|[;}])\\s*(?:extern\\s+|__attribute__\\s*\\(\\([a-z_]+(?:\\(\"[^\"]*\"\\))?\\)\\)\\s*)*([A-Za-z_][A-Za-z0-9_\\s*]*?[\\s*])"
                            + Pattern.quote(name) + "\\s*\\(([^();{}]*)\\)\\s*(?:__attribute__[^;]*)?;")
                    .matcher(text);
            if (!found.find()) {
                missing.add(name);
                continue;
            }
            String result = found.group(1).strip();
            String parameters = found.group(2).strip().replaceAll("\\s+", " ");
            out.append("typedef " + result + " (*PFN_" + name + ")(" + parameters + ");\n");
            out.append("#ifdef PANAMARK_CHECK\nstatic PFN_" + name + " const check_" + name
                    + " __attribute__((unused)) = " + name + ";\n#endif\n");
        }
        System.out.print(out);
        if (!missing.isEmpty()) {
            System.err.println("no prototype of " + String.join(", ", missing));
            System.exit(1);
        }
    }
}
