package dev.panamark.kernel;

import com.ezylang.evalex.Expression;
import com.ezylang.evalex.config.ExpressionConfiguration;
import com.ezylang.evalex.config.MapBasedFunctionDictionary;
import com.ezylang.evalex.config.MapBasedOperatorDictionary;
import com.ezylang.evalex.data.EvaluationValue;
import com.ezylang.evalex.functions.FunctionIfc;
import com.ezylang.evalex.functions.FunctionParameterDefinition;
import com.ezylang.evalex.operators.OperatorIfc;
import com.ezylang.evalex.operators.arithmetic.InfixDivisionOperator;
import com.ezylang.evalex.operators.arithmetic.InfixMinusOperator;
import com.ezylang.evalex.operators.arithmetic.InfixModuloOperator;
import com.ezylang.evalex.operators.arithmetic.InfixMultiplicationOperator;
import com.ezylang.evalex.operators.arithmetic.InfixPlusOperator;
import com.ezylang.evalex.operators.arithmetic.PrefixMinusOperator;
import com.ezylang.evalex.operators.arithmetic.PrefixPlusOperator;
import com.ezylang.evalex.operators.booleans.InfixAndOperator;
import com.ezylang.evalex.operators.booleans.InfixEqualsOperator;
import com.ezylang.evalex.operators.booleans.InfixGreaterEqualsOperator;
import com.ezylang.evalex.operators.booleans.InfixGreaterOperator;
import com.ezylang.evalex.operators.booleans.InfixLessEqualsOperator;
import com.ezylang.evalex.operators.booleans.InfixLessOperator;
import com.ezylang.evalex.operators.booleans.InfixNotEqualsOperator;
import com.ezylang.evalex.operators.booleans.InfixOrOperator;
import com.ezylang.evalex.operators.booleans.PrefixNotOperator;
import com.ezylang.evalex.parser.ASTNode;
import com.ezylang.evalex.parser.ParseException;
import com.ezylang.evalex.parser.Token;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;

/**
 * The grammar of expressions. EvalEx reads the text into a tree; {@link Formula} computes it, because a shape must
 * not lose a digit and text must not silently become a number.
 */
final class ExpressionSyntax {

    /** Functions of numbers, with their fewest and most parameters. */
    static final SequencedMap<String, int[]> FUNCTIONS;

    /** Functions of buffers, allowed under {@code work}, with their fewest and most parameters. */
    static final SequencedMap<String, int[]> WORK_FUNCTIONS;

    /** Words that no axis and no let may be called. */
    static final List<String> RESERVED;

    private static final int ANY = Integer.MAX_VALUE;
    private static final ExpressionConfiguration CONFIGURATION;

    static {
        SequencedMap<String, int[]> functions = new LinkedHashMap<>();
        functions.put("min", new int[] {1, ANY});
        functions.put("max", new int[] {1, ANY});
        for (String one : List.of("ceil", "floor", "round", "abs", "sqrt", "log2")) {
            functions.put(one, new int[] {1, 1});
        }
        functions.put("pow", new int[] {2, 2});
        functions.put("if", new int[] {3, 3});
        FUNCTIONS = Collections.unmodifiableSequencedMap(functions);

        SequencedMap<String, int[]> work = new LinkedHashMap<>();
        work.put("bytes", new int[] {1, 1});
        work.put("elements", new int[] {1, 1});
        work.put("pairs", new int[] {1, 2});
        work.put("sum", new int[] {1, 1});
        work.put("unique", new int[] {2, 2});
        WORK_FUNCTIONS = Collections.unmodifiableSequencedMap(work);

        List<String> reserved = new ArrayList<>(List.of("device", "true", "false"));
        reserved.addAll(FUNCTIONS.keySet());
        reserved.addAll(WORK_FUNCTIONS.keySet());
        RESERVED = List.copyOf(reserved);

        MapBasedFunctionDictionary names = new MapBasedFunctionDictionary();
        FUNCTIONS.forEach((name, count) -> names.addFunction(name, new Signature(count[0], count[1])));
        WORK_FUNCTIONS.forEach((name, count) -> names.addFunction(name, new Signature(count[0], count[1])));
        MapBasedOperatorDictionary operators = new MapBasedOperatorDictionary();
        Map<String, OperatorIfc> known = Map.ofEntries(
                Map.entry("*", new InfixMultiplicationOperator()),
                Map.entry("/", new InfixDivisionOperator()),
                Map.entry("%", new InfixModuloOperator()),
                Map.entry("==", new InfixEqualsOperator()),
                Map.entry("!=", new InfixNotEqualsOperator()),
                Map.entry("<", new InfixLessOperator()),
                Map.entry("<=", new InfixLessEqualsOperator()),
                Map.entry(">", new InfixGreaterOperator()),
                Map.entry(">=", new InfixGreaterEqualsOperator()),
                Map.entry("&&", new InfixAndOperator()),
                Map.entry("||", new InfixOrOperator()),
                Map.entry("!", new PrefixNotOperator()));
        known.forEach(operators::addOperator);
        operators.addOperator("+", new InfixPlusOperator());
        operators.addOperator("+", new PrefixPlusOperator());
        operators.addOperator("-", new InfixMinusOperator());
        operators.addOperator("-", new PrefixMinusOperator());
        CONFIGURATION = ExpressionConfiguration.builder()
                .functionDictionary(names)
                .operatorDictionary(operators)
                .arraysAllowed(false)
                .structuresAllowed(true)
                .binaryAllowed(false)
                .implicitMultiplicationAllowed(false)
                .singleQuoteStringLiteralsAllowed(true)
                .defaultConstants(Map.of())
                .build();
    }

    private ExpressionSyntax() {}

    /** The tree of an expression. */
    static ASTNode tree(String text) throws ParseException {
        return new Expression(text, CONFIGURATION).getAbstractSyntaxTree();
    }

    /** Tells the reader how many parameters a function has; nothing is ever called through it. */
    private record Signature(int fewest, int most) implements FunctionIfc {
        @Override
        public List<FunctionParameterDefinition> getFunctionParameterDefinitions() {
            List<FunctionParameterDefinition> all = new ArrayList<>();
            int shown = hasVarArgs() ? fewest : most;
            for (int i = 0; i < shown; i++) {
                all.add(FunctionParameterDefinition.builder()
                        .name("p" + i)
                        .isVarArg(hasVarArgs() && i == shown - 1)
                        .build());
            }
            return all;
        }

        @Override
        public boolean hasVarArgs() {
            return most != fewest;
        }

        @Override
        public EvaluationValue evaluate(Expression expression, Token token, EvaluationValue... values) {
            throw new UnsupportedOperationException(token.getValue());
        }

        @Override
        public void validatePreEvaluation(Token token, EvaluationValue... values) {
            throw new UnsupportedOperationException(token.getValue());
        }
    }
}
