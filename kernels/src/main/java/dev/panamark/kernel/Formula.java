package dev.panamark.kernel;

import com.ezylang.evalex.parser.ASTNode;
import com.ezylang.evalex.parser.ParseException;
import com.ezylang.evalex.parser.Token;
import com.ezylang.evalex.parser.Token.TokenType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** An expression of a kernel file: read once, its names known to exist, computed exactly for each problem. */
final class Formula {
    /** Longest expression. */
    static final int MAX_LENGTH = 1000;

    /** Deepest tree; a sum of as many terms is as deep. */
    static final int MAX_DEPTH = 64;

    private static final Pattern QUOTED = Pattern.compile("\"[^\"]*\"|'[^']*'");
    private static final Pattern CALL = Pattern.compile("([A-Za-z_][A-Za-z0-9_]*)\\s*\\(");
    private static final Pattern HEX = Pattern.compile("0[xX][0-9a-fA-F]+");

    private final Field field;
    private final String text;
    private final ASTNode tree;
    private final Names known;
    private final Set<String> names = new LinkedHashSet<>();
    private final Set<String> deviceValues = new LinkedHashSet<>();
    private final List<Call> calls = new ArrayList<>();

    /**
     * A call of a function of buffers.
     *
     * @param function its name
     * @param buffers their names
     */
    record Call(String function, List<String> buffers) {}

    private Formula(Field field, String text, Names known) {
        this.field = field;
        this.text = text;
        this.known = known;
        this.tree = tree();
        check(tree, 0);
    }

    /** The expression that stands in a field. */
    static Formula read(Field field, Names known) {
        return new Formula(field, field.text("a number or an expression"), known);
    }

    /** An expression that stands in for one that a person left out. */
    static Formula of(Field field, String text) {
        return new Formula(field, text, new Names(Set.of(), Set.of(), false));
    }

    /** Where it stands. */
    Field field() {
        return field;
    }

    /** As written. */
    String text() {
        return text;
    }

    /** As written, without spaces: the same for two dimensions of the same meaning. */
    String compact() {
        return text.replaceAll("\\s+", "");
    }

    /** Axes and lets that it uses. */
    Set<String> names() {
        return names;
    }

    /** Functions of buffers that it calls. */
    List<Call> calls() {
        return calls;
    }

    /** Whether its value depends on what buffers hold. */
    boolean looksAtContents() {
        return calls.stream()
                .anyMatch(c -> !c.function().equals("bytes") && !c.function().equals("elements"));
    }

    /** Fetches every axis, let and device value that it uses, so that what is missing shows without its buffers. */
    void touch(Scope scope) {
        names.forEach(scope::value);
        deviceValues.forEach(scope::device);
    }

    /** A Rational, a String or a Boolean. */
    Object evaluate(Scope scope) {
        try {
            return evaluate(tree, scope);
        } catch (ArithmeticException e) {
            throw fault(String.valueOf(e.getMessage()), scope);
        }
    }

    /** A number. */
    Rational number(Scope scope) {
        Object value = evaluate(scope);
        if (value instanceof Rational r) {
            return r;
        }
        throw fault("is " + kind(value) + ", expected a number", scope);
    }

    /** A whole number in [low, 2^63). */
    long whole(Scope scope, long low) {
        Rational value = number(scope);
        if (!value.isWhole()) {
            throw fault("is " + value + ", expected a whole number", scope);
        }
        if (!value.isLong()) {
            throw fault("is " + value + ", beyond 2^63-1, the largest whole number", scope);
        }
        long result = value.num().longValueExact();
        if (result < low) {
            throw fault("is " + value + ", expected a whole number of at least " + low, scope);
        }
        return result;
    }

    /** A real number. */
    double real(Scope scope) {
        double value = number(scope).toDouble();
        if (!Double.isFinite(value)) {
            throw fault("is beyond the range of double precision", scope);
        }
        return value;
    }

    /** Yes or no. */
    boolean truth(Scope scope) {
        Object value = evaluate(scope);
        if (value instanceof Boolean b) {
            return b;
        }
        throw fault("is " + kind(value) + ", expected a comparison, true or false", scope);
    }

    /** Whatever it is. */
    Value value(Scope scope) {
        Object value = evaluate(scope);
        return switch (value) {
            case Boolean b -> new Value.Bool(b);
            case Rational r when r.isLong() -> new Value.Int(r.num().longValueExact());
            case Rational r
            when r.isWhole() -> throw fault("is " + r + ", beyond 2^63-1, the largest whole number", scope);
            case Rational r -> new Value.Real(real(scope));
            default -> new Value.Text(value.toString());
        };
    }

    /** What is wrong with its value for one problem. */
    KernelFileException fault(String what, Scope scope) {
        return field.fault(quoted() + " " + what + scope.situation(names));
    }

    @Override
    public String toString() {
        return text;
    }

    private String quoted() {
        return '"' + Field.shown(text) + '"';
    }

    private KernelFileException fault(String what) {
        return field.fault(quoted() + " " + what);
    }

    private ASTNode tree() {
        if (text.length() > MAX_LENGTH) {
            throw fault("has " + text.length() + " characters, more than the " + MAX_LENGTH + " of an expression");
        }
        Matcher calls = CALL.matcher(QUOTED.matcher(text).replaceAll("''"));
        while (calls.find()) {
            checkFunction(calls.group(1));
        }
        try {
            return ExpressionSyntax.tree(text);
        } catch (ParseException e) {
            throw fault("is not an expression: " + e.getMessage() + " (character " + e.getStartPosition() + ")");
        } catch (RuntimeException e) {
            // The library's reader has no other way to refuse some malformed texts.
            throw fault("is not an expression");
        }
    }

    private void checkFunction(String name) {
        Set<String> functions = new LinkedHashSet<>(ExpressionSyntax.FUNCTIONS.keySet());
        if (known.work()) {
            functions.addAll(ExpressionSyntax.WORK_FUNCTIONS.keySet());
        } else if (ExpressionSyntax.WORK_FUNCTIONS.containsKey(name)) {
            throw fault("uses " + name + "(), which looks at buffers and is allowed under work only");
        }
        if (!functions.contains(name)) {
            throw fault("uses an unknown function '" + name + "'" + Near.hint(name, functions));
        }
    }

    private void checkCount(String function, int count) {
        int[] limits = ExpressionSyntax.FUNCTIONS.getOrDefault(
                function, ExpressionSyntax.WORK_FUNCTIONS.getOrDefault(function, new int[] {0, 0}));
        if (count < limits[0] || count > limits[1]) {
            throw fault("gives " + count + " parameters to " + function + "(), expected "
                    + (limits[0] == limits[1] ? "" : "at least ") + limits[0]);
        }
    }

    private void check(ASTNode node, int depth) {
        if (depth > MAX_DEPTH) {
            throw fault("is nested deeper than " + MAX_DEPTH + " levels");
        }
        Token token = node.getToken();
        switch (token.getType()) {
            case VARIABLE_OR_CONSTANT -> checkName(token.getValue());
            case STRUCTURE_SEPARATOR -> deviceValues.add(deviceValue(node));
            case FUNCTION -> {
                checkFunction(token.getValue());
                checkCount(token.getValue(), node.getParameters().size());
                if (ExpressionSyntax.WORK_FUNCTIONS.containsKey(token.getValue())) {
                    node.getParameters().forEach(this::checkBuffer);
                    calls.add(call(node));
                } else {
                    node.getParameters().forEach(p -> check(p, depth + 1));
                }
            }
            case NUMBER_LITERAL -> literal(token);
            default -> node.getParameters().forEach(p -> check(p, depth + 1));
        }
    }

    private void checkName(String name) {
        if (name.equals("true") || name.equals("false")) {
            return;
        }
        if (known.values().contains(name)) {
            names.add(name);
            return;
        }
        if (known.buffers().contains(name)) {
            throw fault("uses the buffer '" + name + "' as a number; expected an axis or a let, or "
                    + (known.work() ? "a function of it such as bytes(" + name + ")" : "nothing of the kind here"));
        }
        if (name.equals("device")) {
            throw fault("uses 'device' alone; expected one of its values, such as device.units");
        }
        throw fault("uses an unknown name '" + name + "'" + Near.hint(name, new TreeSet<>(known.values())));
    }

    private void checkBuffer(ASTNode node) {
        String name = node.getToken().getValue();
        if (node.getToken().getType() != TokenType.VARIABLE_OR_CONSTANT) {
            throw fault("passes '" + name + "' to a function of buffers; expected the name of a buffer");
        }
        if (!known.buffers().contains(name)) {
            throw fault("uses an unknown buffer '" + name + "'" + Near.hint(name, new TreeSet<>(known.buffers())));
        }
    }

    private String deviceValue(ASTNode node) {
        Token owner = node.getParameters().getFirst().getToken();
        Token value = node.getParameters().getLast().getToken();
        if (!owner.getValue().equals("device") || value.getType() != TokenType.VARIABLE_OR_CONSTANT) {
            throw fault("uses '" + owner.getValue() + "." + value.getValue()
                    + "'; only device has values of its own, such as device.units");
        }
        return value.getValue();
    }

    private Rational literal(Token token) {
        String number = token.getValue();
        try {
            return HEX.matcher(number).matches()
                    ? Rational.of(new BigInteger(number.substring(2), 16))
                    : Rational.of(new BigDecimal(number));
        } catch (NumberFormatException e) {
            throw fault("has '" + Field.shown(number) + "', which is not a number");
        } catch (ArithmeticException e) {
            throw fault("has '" + Field.shown(number) + "', " + e.getMessage());
        }
    }

    private Object evaluate(ASTNode node, Scope scope) {
        Token token = node.getToken();
        List<ASTNode> inner = node.getParameters();
        return switch (token.getType()) {
            case NUMBER_LITERAL -> literal(token);
            case STRING_LITERAL -> token.getValue();
            case VARIABLE_OR_CONSTANT ->
                switch (token.getValue()) {
                    case "true" -> true;
                    case "false" -> false;
                    default -> scope.value(token.getValue());
                };
            case STRUCTURE_SEPARATOR -> scope.device(deviceValue(node));
            case PREFIX_OPERATOR -> prefix(token.getValue(), inner.getFirst(), scope);
            case INFIX_OPERATOR -> infix(token.getValue(), inner.getFirst(), inner.getLast(), scope);
            case FUNCTION ->
                ExpressionSyntax.WORK_FUNCTIONS.containsKey(token.getValue())
                        ? scope.call(call(node))
                        : function(token.getValue(), inner, scope);
            default -> throw fault("has '" + token.getValue() + "' where a value is expected");
        };
    }

    private Object prefix(String operator, ASTNode operand, Scope scope) {
        return switch (operator) {
            case "!" -> !truth(operand, operator, scope);
            case "-" -> number(operand, operator, scope).negate();
            default -> number(operand, operator, scope);
        };
    }

    private Object infix(String operator, ASTNode left, ASTNode right, Scope scope) {
        return switch (operator) {
            case "&&" -> truth(left, operator, scope) && truth(right, operator, scope);
            case "||" -> truth(left, operator, scope) || truth(right, operator, scope);
            case "==" -> same(left, right, operator, scope);
            case "!=" -> !same(left, right, operator, scope);
            default -> {
                Rational a = number(left, operator, scope);
                Rational b = number(right, operator, scope);
                yield switch (operator) {
                    case "+" -> a.add(b);
                    case "-" -> a.subtract(b);
                    case "*" -> a.multiply(b);
                    case "/" -> a.divide(b);
                    case "%" -> a.remainder(b);
                    case "<" -> a.compareTo(b) < 0;
                    case "<=" -> a.compareTo(b) <= 0;
                    case ">" -> a.compareTo(b) > 0;
                    case ">=" -> a.compareTo(b) >= 0;
                    default -> throw fault("has an unknown operator '" + operator + "'");
                };
            }
        };
    }

    private boolean same(ASTNode left, ASTNode right, String operator, Scope scope) {
        Object a = evaluate(left, scope);
        Object b = evaluate(right, scope);
        if (a.getClass() != b.getClass()) {
            throw fault("compares " + kind(a) + " " + operator + " " + kind(b) + ", expected two of a kind", scope);
        }
        return a.equals(b);
    }

    private Object function(String name, List<ASTNode> parameters, Scope scope) {
        if (name.equals("if")) {
            return evaluate(parameters.get(truth(parameters.getFirst(), "if", scope) ? 1 : 2), scope);
        }
        List<Rational> values = new ArrayList<>();
        for (ASTNode parameter : parameters) {
            values.add(number(parameter, name + "()", scope));
        }
        Rational first = values.getFirst();
        return switch (name) {
            case "min" -> values.stream().min(Rational::compareTo).orElse(first);
            case "max" -> values.stream().max(Rational::compareTo).orElse(first);
            case "ceil" -> first.ceil();
            case "floor" -> first.floor();
            case "round" -> first.round();
            case "abs" -> first.abs();
            case "sqrt" -> first.sqrt();
            case "log2" -> first.log2();
            case "pow" -> first.pow(values.getLast());
            default -> throw fault("uses an unknown function '" + name + "'");
        };
    }

    private Rational number(ASTNode node, String what, Scope scope) {
        Object value = evaluate(node, scope);
        if (value instanceof Rational r) {
            return r;
        }
        throw fault("gives " + kind(value) + " to " + what + ", expected a number", scope);
    }

    private boolean truth(ASTNode node, String what, Scope scope) {
        Object value = evaluate(node, scope);
        if (value instanceof Boolean b) {
            return b;
        }
        throw fault("gives " + kind(value) + " to " + what + ", expected a comparison, true or false", scope);
    }

    private static Call call(ASTNode node) {
        return new Call(
                node.getToken().getValue(),
                node.getParameters().stream().map(p -> p.getToken().getValue()).toList());
    }

    private static String kind(Object value) {
        return switch (value) {
            case Rational r -> "the number " + r;
            case Boolean b -> String.valueOf(b).toLowerCase(Locale.ROOT);
            default -> "the word '" + value + "'";
        };
    }
}
