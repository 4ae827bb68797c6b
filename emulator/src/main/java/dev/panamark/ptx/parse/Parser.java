package dev.panamark.ptx.parse;

import dev.panamark.ptx.PtxException;
import dev.panamark.ptx.parse.Syntax.Block;
import dev.panamark.ptx.parse.Syntax.Function;
import dev.panamark.ptx.parse.Syntax.Guard;
import dev.panamark.ptx.parse.Syntax.Initial;
import dev.panamark.ptx.parse.Syntax.Instruction;
import dev.panamark.ptx.parse.Syntax.Label;
import dev.panamark.ptx.parse.Syntax.Prototype;
import dev.panamark.ptx.parse.Syntax.Statement;
import dev.panamark.ptx.parse.Syntax.Targets;
import dev.panamark.ptx.parse.Syntax.Text;
import dev.panamark.ptx.parse.Syntax.Variable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads PTX 6.0 to 9.0. Sections, pragmas and other things without a meaning for what a kernel computes are skipped.
 */
public final class Parser {
    private static final Set<String> SPACES = Set.of("reg", "shared", "global", "const", "local", "param");
    private static final Set<String> LINKAGE = Set.of("extern", "visible", "weak", "common");
    private static final Set<String> LIMITS = Set.of(
            "maxntid",
            "reqntid",
            "minnctapersm",
            "maxnctapersm",
            "maxnreg",
            "reqnctapercluster",
            "maxclusterrank",
            "explicitcluster",
            "blocksareclusters",
            "noreturn",
            "abi_preserve",
            "abi_preserve_control");
    private static final int MOST_REGISTERS = 1 << 20;
    private static final int DEEPEST = 200;

    private final Tokens tokens;
    private final OperandParser operands;
    private final Map<String, String> files = new HashMap<>();
    private final List<Variable> variables = new ArrayList<>();
    private final List<Function> functions = new ArrayList<>();
    private final Map<String, String> aliases = new LinkedHashMap<>();
    private @Nullable SourceLine source;
    private int depth;

    private Parser(Tokens tokens) {
        this.tokens = tokens;
        this.operands = new OperandParser(tokens);
    }

    /**
     * The syntax tree of a text.
     *
     * @param name what messages call the text
     * @throws PtxException with line and column of what is not PTX
     */
    public static Text parse(String name, String text) {
        List<Token> tokens = new Lexer(name, text).tokens();
        Parser parser = new Parser(new Tokens(name, tokens));
        // nvcc writes the files after the functions that refer to them.
        for (int i = 0; i + 2 < tokens.size(); i++) {
            if (tokens.get(i).isDot(".file") && tokens.get(i + 2).kind() == Token.Kind.STRING) {
                parser.files.put(tokens.get(i + 1).text(), tokens.get(i + 2).text());
            }
        }
        return parser.text();
    }

    private Text text() {
        String version = "";
        String target = "";
        while (!tokens.atEnd()) {
            Token token = tokens.peek();
            switch (token.text()) {
                case ".version" -> {
                    tokens.next();
                    version = tokens.expect(Token.Kind.NUMBER, "a version such as 8.0")
                            .text();
                }
                case ".target" -> {
                    tokens.next();
                    target = tokens.name("a target such as sm_80").text();
                    while (tokens.accept(",")) {
                        tokens.name("a target option");
                    }
                }
                case ".address_size" -> {
                    tokens.next();
                    Token size = tokens.expect(Token.Kind.NUMBER, "64");
                    if (!size.text().equals("64")) {
                        throw tokens.fault(size, "address size " + size.text() + "; expected 64");
                    }
                }
                case ".file" -> skipFile();
                case ".section" -> skipSection();
                case ".pragma" -> skipStatement();
                case ".alias" -> alias();
                case ";" -> tokens.next();
                default -> declaration();
            }
        }
        if (version.isEmpty()) {
            throw new PtxException(tokens.source(), 1, 1, "no .version; expected a PTX text that begins with .version");
        }
        if (target.isEmpty()) {
            throw new PtxException(
                    tokens.source(), 1, 1, "no .target; expected a PTX text with .target after .version");
        }
        return new Text(version, target, List.copyOf(variables), List.copyOf(functions), Map.copyOf(aliases));
    }

    private void alias() {
        tokens.next();
        String alias = tokens.name("a function's name").text();
        tokens.expect(",");
        aliases.put(alias, tokens.name("a function's name").text());
        tokens.expect(";");
    }

    private void skipFile() {
        tokens.next();
        tokens.expect(Token.Kind.NUMBER, "a file's number");
        tokens.expect(Token.Kind.STRING, "a file's name");
        while (tokens.accept(",")) {
            tokens.expect(Token.Kind.NUMBER, "a time or a size");
        }
        tokens.accept(";");
    }

    private void skipSection() {
        Token section = tokens.next();
        tokens.next();
        if (!tokens.peek().is("{")) {
            throw tokens.fault(tokens.peek(), tokens.peek().shown() + "; expected '{' of the section");
        }
        int open = 0;
        do {
            Token token = tokens.next();
            if (token.kind() == Token.Kind.END) {
                throw tokens.fault(section, "section without end; expected '}'");
            }
            open += token.is("{") ? 1 : token.is("}") ? -1 : 0;
        } while (open > 0);
    }

    private void skipStatement() {
        Token first = tokens.next();
        while (!tokens.accept(";")) {
            if (tokens.next().kind() == Token.Kind.END) {
                throw tokens.fault(first, first.shown() + " without end; expected ';'");
            }
        }
    }

    private void declaration() {
        boolean extern = false;
        while (tokens.peek().kind() == Token.Kind.DOT
                && LINKAGE.contains(tokens.peek().text().substring(1))) {
            String linkage = tokens.next().text();
            extern |= linkage.equals(".extern");
        }
        Token token = tokens.peek();
        switch (token.text()) {
            case ".entry" -> function(true);
            case ".func" -> function(false);
            case ".global", ".const", ".shared" -> variables.addAll(variables(extern));
            default ->
                throw tokens.fault(
                        token,
                        token.shown() + "; expected .entry, .func, .global, .const or .shared, or another directive");
        }
    }

    private void function(boolean entry) {
        tokens.next();
        source = null;
        while (tokens.acceptDot(".noreturn") || tokens.peek().isDot(".attribute")) {
            if (tokens.acceptDot(".attribute")) {
                skipGroup();
            }
        }
        List<Variable> results = !entry && tokens.peek().is("(") ? parameters() : List.of();
        Token name = tokens.name("a function's name");
        List<Variable> parameters = tokens.peek().is("(") ? parameters() : List.of();
        Map<String, List<Long>> limits = new LinkedHashMap<>();
        while (tokens.peek().kind() == Token.Kind.DOT) {
            limit(limits);
        }
        Block body = null;
        if (tokens.peek().is("{")) {
            body = block();
        } else {
            tokens.expect(";");
        }
        functions.add(
                new Function(entry, name.text(), results, parameters, body, Map.copyOf(limits), tokens.position(name)));
    }

    private void limit(Map<String, List<Long>> limits) {
        Token token = tokens.peek();
        String word = token.text().substring(1);
        if (word.equals("pragma")) {
            skipStatement();
            return;
        }
        if (word.equals("attribute")) {
            tokens.next();
            skipGroup();
            return;
        }
        if (!LIMITS.contains(word)) {
            throw tokens.fault(token, "unknown directive " + token.shown() + " of a function");
        }
        tokens.next();
        List<Long> values = new ArrayList<>();
        if (tokens.peek().kind() == Token.Kind.NUMBER) {
            do {
                values.add(operands.integer());
            } while (tokens.accept(","));
        }
        limits.put(word, List.copyOf(values));
    }

    private void skipGroup() {
        tokens.expect("(");
        while (!tokens.accept(")")) {
            if (tokens.next().kind() == Token.Kind.END) {
                throw tokens.fault(tokens.peek(), "the end of the text; expected ')'");
            }
        }
    }

    private List<Variable> parameters() {
        List<Variable> all = new ArrayList<>();
        tokens.expect("(");
        while (!tokens.accept(")")) {
            if (!all.isEmpty()) {
                tokens.expect(",");
            }
            all.add(variable(false));
        }
        return List.copyOf(all);
    }

    private Block block() {
        Token open = tokens.expect("{");
        if (++depth > DEEPEST) {
            throw tokens.fault(open, "blocks are nested deeper than " + DEEPEST);
        }
        List<Statement> statements = new ArrayList<>();
        while (!tokens.accept("}")) {
            statement(statements);
        }
        depth--;
        return new Block(List.copyOf(statements), tokens.position(open));
    }

    private void statement(List<Statement> out) {
        Token token = tokens.peek();
        if (token.kind() == Token.Kind.END) {
            throw tokens.fault(token, "the end of the text inside of a function; expected '}'");
        }
        if (token.is("{")) {
            out.add(block());
        } else if (token.is(";")) {
            tokens.next();
        } else if (token.kind() == Token.Kind.DOT) {
            directive(out);
        } else if (token.kind() == Token.Kind.NAME && tokens.peek(1).is(":")) {
            labelled(out);
        } else {
            out.add(instruction());
        }
    }

    private void directive(List<Statement> out) {
        Token token = tokens.peek();
        switch (token.text()) {
            case ".loc" -> location();
            case ".file" -> skipFile();
            case ".section" -> skipSection();
            case ".pragma" -> skipStatement();
            case ".extern" -> {
                tokens.next();
                out.addAll(variables(true));
            }
            default -> out.addAll(variables(false));
        }
    }

    private void location() {
        tokens.next();
        String file = tokens.expect(Token.Kind.NUMBER, "a file's number").text();
        long line = operands.integer();
        if (tokens.peek().kind() == Token.Kind.NUMBER) {
            tokens.next();
        }
        while (tokens.accept(",")) {
            Token what = tokens.name("function_name or inlined_at");
            if (what.text().equals("function_name")) {
                tokens.name("a label");
                if (tokens.accept("+")) {
                    tokens.expect(Token.Kind.NUMBER, "an offset");
                }
            } else {
                while (tokens.peek().kind() == Token.Kind.NUMBER) {
                    tokens.next();
                }
            }
        }
        tokens.accept(";");
        // nvcc says line 0 of what it cannot place; the line before is kept, as its tools do.
        if (line > 0 && line <= Integer.MAX_VALUE) {
            source = new SourceLine(files.getOrDefault(file, "file " + file), (int) line);
        }
    }

    private void labelled(List<Statement> out) {
        Token name = tokens.next();
        tokens.expect(":");
        Position at = tokens.position(name);
        switch (tokens.peek().text()) {
            case ".callprototype" -> {
                tokens.next();
                if (tokens.peek().is("(")) {
                    parameters();
                }
                tokens.name("_");
                if (tokens.peek().is("(")) {
                    parameters();
                }
                while (tokens.acceptDot(".noreturn")) {
                    // Says nothing about what is computed.
                }
                tokens.expect(";");
                out.add(new Prototype(name.text()));
            }
            case ".branchtargets", ".calltargets" -> {
                tokens.next();
                List<String> labels = new ArrayList<>();
                do {
                    labels.add(tokens.name("a label").text());
                } while (tokens.accept(","));
                tokens.expect(";");
                out.add(new Targets(name.text(), List.copyOf(labels), at));
            }
            default -> out.add(new Label(name.text(), at));
        }
    }

    private Instruction instruction() {
        Token first = tokens.peek();
        Guard guard = null;
        if (tokens.accept("@")) {
            boolean negated = tokens.accept("!");
            guard = new Guard(tokens.name("a predicate").text(), negated);
        }
        Token opcode = tokens.name("an instruction");
        List<String> modifiers = new ArrayList<>();
        while (tokens.peek().kind() == Token.Kind.DOT) {
            modifiers.add(tokens.next().text().substring(1));
        }
        List<Syntax.Operand> list = new ArrayList<>();
        while (!tokens.accept(";")) {
            if (!list.isEmpty()) {
                tokens.expect(",");
            }
            list.add(operands.operand());
        }
        return new Instruction(
                guard,
                opcode.text(),
                List.copyOf(modifiers),
                List.copyOf(list),
                source,
                tokens.position(guard == null ? opcode : first));
    }

    private List<Variable> variables(boolean extern) {
        List<Variable> all = new ArrayList<>();
        Variable first = variable(extern);
        all.add(first);
        while (tokens.accept(",")) {
            Token name = tokens.name("a name");
            all.add(declarator(first.space(), first.type(), first.vector(), first.align(), extern, name));
        }
        tokens.expect(";");
        return all;
    }

    private Variable variable(boolean extern) {
        Token space = tokens.peek();
        String word = space.kind() == Token.Kind.DOT ? space.text().substring(1).replaceFirst("::.*", "") : "";
        if (!SPACES.contains(word)) {
            throw tokens.fault(space, space.shown() + "; expected .reg, .shared, .global, .const, .local or .param");
        }
        tokens.next();
        int align = 0;
        int vector = 1;
        boolean pointer = false;
        String type = "";
        while (tokens.peek().kind() == Token.Kind.DOT) {
            Token token = tokens.next();
            switch (token.text()) {
                case ".align" -> {
                    int given = alignment(token);
                    // Behind .ptr it is that of what the pointer points to.
                    align = pointer ? align : given;
                }
                case ".v2" -> vector = 2;
                case ".v4" -> vector = 4;
                case ".ptr" -> pointer = true;
                case ".managed", ".unified", ".noalias" -> {}
                case ".attribute" -> skipGroup();
                case ".global", ".const", ".shared", ".local" -> {
                    // The space that a pointer parameter points to.
                }
                default -> type = token.text().substring(1);
            }
        }
        if (type.isEmpty()) {
            throw tokens.fault(tokens.peek(), tokens.peek().shown() + "; expected a type such as .b32");
        }
        return declarator(word, type, vector, align, extern, tokens.name("a name"));
    }

    private int alignment(Token at) {
        int bytes = Math.toIntExact(bounded(operands.integer(), 1, 1 << 16, at));
        if (Integer.bitCount(bytes) != 1) {
            throw tokens.fault(at, "alignment " + bytes + "; expected a power of two");
        }
        return bytes;
    }

    private Variable declarator(String space, String type, int vector, int align, boolean extern, Token name) {
        int range = -1;
        if (tokens.accept("<")) {
            range = Math.toIntExact(bounded(operands.integer(), 0, MOST_REGISTERS, name));
            tokens.expect(">");
        }
        List<Long> dimensions = new ArrayList<>();
        while (tokens.accept("[")) {
            dimensions.add(tokens.peek().is("]") ? 0L : bounded(operands.integer(), 0, Integer.MAX_VALUE, name));
            tokens.expect("]");
        }
        List<Initial> initials = new ArrayList<>();
        if (tokens.accept("=")) {
            initial(initials, dimensions, 0, 0);
        }
        return new Variable(
                space,
                type,
                vector,
                name.text(),
                range,
                align,
                List.copyOf(dimensions),
                List.copyOf(initials),
                extern,
                tokens.position(name));
    }

    private long bounded(long value, long least, long most, Token at) {
        if (value < least || value > most) {
            throw tokens.fault(at, value + " at " + at.shown() + "; expected " + least + " to " + most);
        }
        return value;
    }

    private void initial(List<Initial> out, List<Long> dimensions, int level, long index) {
        if (!tokens.accept("{")) {
            out.add(new Initial(operands.initial(), index));
            return;
        }
        if (level > 8) {
            throw tokens.fault(tokens.peek(), "initial values are nested deeper than 8");
        }
        long stride = 1;
        for (int i = level + 1; i < dimensions.size(); i++) {
            stride *= Math.max(1, dimensions.get(i));
        }
        long next = index;
        while (!tokens.accept("}")) {
            if (next > index) {
                tokens.expect(",");
            }
            initial(out, dimensions, level + 1, next);
            next += stride;
        }
    }
}
