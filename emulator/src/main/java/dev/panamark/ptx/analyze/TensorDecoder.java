package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.Address;
import dev.panamark.ptx.ir.Element;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.InstructionClass;
import dev.panamark.ptx.ir.MatrixFragment;
import dev.panamark.ptx.ir.MatrixProduct;
import dev.panamark.ptx.ir.Register;
import dev.panamark.ptx.ir.Site;
import dev.panamark.ptx.ir.Space;
import dev.panamark.ptx.ir.Sync;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/** Matrices that the lanes of a warp hold together. A guarded one is a branch around it. */
final class TensorDecoder {
    private static final String[] ELEMENTS =
            Arrays.stream(Element.values()).map(Element::ptx).toArray(String[]::new);

    /** Shapes and multiplicands of {@code mma.sync}; PTX ISA, "Matrix Shape". */
    private static final Set<String> PRODUCTS = Set.of(
            "m16n8k8 f16",
            "m16n8k16 f16",
            "m16n8k8 bf16",
            "m16n8k16 bf16",
            "m16n8k4 tf32",
            "m16n8k8 tf32",
            "m8n8k4 f64",
            "m16n8k4 f64",
            "m16n8k8 f64",
            "m16n8k16 f64",
            "m8n8k16 i8",
            "m16n8k16 i8",
            "m16n8k32 i8",
            "m8n8k32 i4",
            "m16n8k32 i4",
            "m16n8k64 i4",
            "m16n8k16 f8",
            "m16n8k32 f8");

    /** The same of {@code wmma}. */
    private static final Set<String> WMMA_PRODUCTS = Set.of(
            "m16n16k16 f16",
            "m32n8k16 f16",
            "m8n32k16 f16",
            "m16n16k16 bf16",
            "m32n8k16 bf16",
            "m8n32k16 bf16",
            "m16n16k16 i8",
            "m32n8k16 i8",
            "m8n32k16 i8",
            "m16n16k8 tf32",
            "m8n8k32 i4",
            "m8n8k4 f64");

    private final Emitter emitter;
    private Modifiers modifiers = new Modifiers(List.of());

    TensorDecoder(Emitter emitter) {
        this.emitter = emitter;
    }

    private record Shape(String name, int m, int n, int k) {}

    static boolean handles(String opcode) {
        return switch (opcode) {
            case "ldmatrix", "stmatrix", "movmatrix", "mma", "wmma" -> true;
            default -> false;
        };
    }

    void decode(String opcode, Modifiers given) {
        modifiers = given;
        String what = opcode.equals("wmma") ? modifiers.any("load", "store", "mma") : "";
        if (!modifiers.take("sync") || !modifiers.take("aligned")) {
            throw emitter.unsupported();
        }
        switch (opcode) {
            case "ldmatrix" -> loadMatrices();
            case "stmatrix" -> storeMatrices();
            case "movmatrix" -> moveMatrix();
            case "mma" -> multiply(false);
            default -> {
                switch (what) {
                    case "load" -> loadFragment();
                    case "store" -> storeFragment();
                    case "mma" -> multiply(true);
                    default -> throw emitter.unsupported();
                }
            }
        }
    }

    // Operands.

    private Expr simple(Expr value, Type type) {
        if (value instanceof Expr.Read || value instanceof Expr.Const) {
            return value;
        }
        Register register = emitter.temporary(type);
        emitter.put(register, value);
        return emitter.read(register, type.jvm());
    }

    private Address address(int i, Space space) {
        Address address = emitter.address(emitter.addressOperand(i), space);
        return new Address(simple(address.base(), space == Space.SHARED ? Type.U32 : Type.U64), address.offset());
    }

    private List<Syntax.Operand> parts(int i, int count) {
        if (!(emitter.operand(i) instanceof Syntax.Tuple tuple)) {
            throw emitter.fault("operand " + (i + 1) + " is not in braces; expected " + count + " registers in braces");
        }
        if (tuple.parts().size() != count) {
            throw emitter.fault(
                    "operand " + (i + 1) + " has " + tuple.parts().size() + " registers; expected " + count);
        }
        return tuple.parts();
    }

    /** How a register with such elements is declared. */
    private static Type type(Element element) {
        return switch (element) {
            case F64 -> Type.F64;
            case F32 -> Type.F32;
            default -> Type.B32;
        };
    }

    private List<Register> targets(int i, int count, Type type) {
        List<Register> targets = new ArrayList<>();
        for (Syntax.Operand part : parts(i, count)) {
            targets.add(target(part, type));
        }
        return List.copyOf(targets);
    }

    private Register target(Syntax.Operand operand, Type type) {
        Register register = emitter.register(operand);
        if (register.type().bits() != type.bits()) {
            throw emitter.fault(register + " is ." + register.type().ptx() + "; expected ." + type.ptx());
        }
        register.used(type.jvm());
        return register;
    }

    private List<Expr> values(int i, int count, Type type) {
        List<Expr> values = new ArrayList<>();
        for (Syntax.Operand part : parts(i, count)) {
            values.add(value(part, type));
        }
        return List.copyOf(values);
    }

    private Expr value(Syntax.Operand operand, Type type) {
        return simple(emitter.value(operand, type), type);
    }

    private void meet(Site site, Sync sync) {
        emitter.add(new Item.Meet(site, sync));
    }

    private Space sharedSpace() {
        return modifiers.any("shared", "shared::cta").isEmpty() ? Space.GENERIC : Space.SHARED;
    }

    // 8 x 8 matrices of halves.

    private int matrices() {
        String count = modifiers.any("x1", "x2", "x4");
        if (!modifiers.take("m8n8") || !modifiers.take("b16")) {
            throw emitter.unsupported();
        }
        if (count.isEmpty()) {
            throw emitter.fault("no number of matrices; expected .x1, .x2 or .x4");
        }
        return count.charAt(1) - '0';
    }

    private void loadMatrices() {
        int count = matrices();
        boolean transposed = modifiers.take("trans");
        Space space = sharedSpace();
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        Site site = emitter.site(InstructionClass.LOAD_SHARED);
        meet(site, new Sync.LoadMatrices(targets(0, count, Type.B32), transposed, space, address(1, space)));
    }

    private void storeMatrices() {
        int count = matrices();
        boolean transposed = modifiers.take("trans");
        Space space = sharedSpace();
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        Site site = emitter.site(InstructionClass.STORE_SHARED);
        Address address = address(0, space);
        meet(site, new Sync.StoreMatrices(values(1, count, Type.B32), transposed, space, address));
    }

    private void moveMatrix() {
        if (!modifiers.take("m8n8") || !modifiers.take("trans") || !modifiers.take("b16")) {
            throw emitter.unsupported();
        }
        emitter.finish(modifiers);
        emitter.operands(2, 2);
        Site site = emitter.site(InstructionClass.CROSS_LANE);
        Register target = target(emitter.operand(0), Type.B32);
        meet(site, new Sync.TransposeMatrix(target, value(emitter.operand(1), Type.B32)));
    }

    // Products.

    private Shape shape(Set<String> products) {
        for (String product : products) {
            String name = product.substring(0, product.indexOf(' '));
            if (modifiers.take(name)) {
                int n = name.indexOf('n');
                int k = name.indexOf('k');
                return new Shape(
                        name,
                        Integer.parseInt(name.substring(1, n)),
                        Integer.parseInt(name.substring(n + 1, k)),
                        Integer.parseInt(name.substring(k + 1)));
            }
        }
        throw emitter.unsupported();
    }

    private Element element() {
        Element element = Element.of(modifiers.any(ELEMENTS));
        if (element == null) {
            throw emitter.unsupported();
        }
        return element;
    }

    /** Elements whose products are computed alike. */
    private static String family(Element element) {
        return switch (element) {
            case S8, U8 -> "i8";
            case S4, U4 -> "i4";
            case E4M3, E5M2 -> "f8";
            default -> element.ptx();
        };
    }

    private void multiply(boolean wmma) {
        Shape shape = shape(wmma ? WMMA_PRODUCTS : PRODUCTS);
        // Layouts of multiplicands; of wmma they say how the fragment was loaded, which it knows.
        String first = modifiers.any("row", "col");
        String second = modifiers.any("row", "col");
        boolean saturate = modifiers.take("satfinite");
        boolean rounded = modifiers.take("rn");
        Element d = element();
        Element next = element();
        boolean halves = wmma && (next == Element.F16 || next == Element.F32);
        Element a = halves ? Element.F16 : next;
        Element b = halves ? Element.F16 : element();
        Element c = halves ? next : element();
        emitter.finish(modifiers);
        Set<String> known = wmma ? WMMA_PRODUCTS : PRODUCTS;
        boolean layouts = wmma ? !second.isEmpty() : first.equals("row") && second.equals("col");
        if (!layouts
                || !known.contains(shape.name() + " " + family(a))
                || !family(a).equals(family(b))
                || (wmma && a != b)
                || !sums(a, c, d, wmma)
                || (saturate && !a.integer())
                || (rounded && a != Element.F64)) {
            throw emitter.unsupported();
        }
        emitter.operands(4, 4);
        MatrixProduct product = new MatrixProduct(
                fragment(wmma, MatrixFragment.Use.A, a, shape),
                fragment(wmma, MatrixFragment.Use.B, b, shape),
                fragment(wmma, MatrixFragment.Use.ACCUMULATOR, c, shape),
                fragment(wmma, MatrixFragment.Use.ACCUMULATOR, d, shape),
                saturate);
        Site site = emitter.site(InstructionClass.TENSOR, product.operations() / 32, product.rateClass());
        meet(
                site,
                new Sync.MultiplyMatrices(
                        product,
                        targets(0, product.d().registers(), type(d)),
                        values(1, product.a().registers(), type(a)),
                        values(2, product.b().registers(), type(b)),
                        values(3, product.c().registers(), type(c))));
    }

    /** Whether sums may have these formats. */
    private static boolean sums(Element a, Element c, Element d, boolean wmma) {
        if (a.integer()) {
            return c == Element.S32 && d == Element.S32;
        }
        return switch (a) {
            case F64 -> c == Element.F64 && d == Element.F64;
            case F16, E4M3, E5M2 ->
                (c == Element.F16 || c == Element.F32) && (d == Element.F16 || d == Element.F32) && (wmma || c == d);
            default -> c == Element.F32 && d == Element.F32;
        };
    }

    private static MatrixFragment fragment(boolean wmma, MatrixFragment.Use use, Element element, Shape shape) {
        return wmma
                ? MatrixFragment.ofWmma(use, element, shape.m(), shape.n(), shape.k())
                : MatrixFragment.of(use, element, shape.m(), shape.n(), shape.k());
    }

    // Fragments of wmma.

    private record Access(MatrixFragment fragment, boolean byColumns, Space space) {}

    private Access access(String uses) {
        String use = modifiers.any(uses.split(""));
        Shape shape = shape(WMMA_PRODUCTS);
        String layout = modifiers.any("row", "col");
        Space space = switch (modifiers.any("global", "shared", "shared::cta")) {
            case "global" -> Space.GLOBAL;
            case "" -> Space.GENERIC;
            default -> Space.SHARED;
        };
        Element element = element();
        emitter.finish(modifiers);
        boolean accumulates = use.equals("c") || use.equals("d");
        if (use.isEmpty() || layout.isEmpty() || !held(shape, element, accumulates)) {
            throw emitter.unsupported();
        }
        boolean byColumns = layout.equals("col");
        MatrixFragment fragment = fragment(
                true,
                use.equals("a")
                        ? MatrixFragment.Use.A
                        : use.equals("b") ? MatrixFragment.Use.B : MatrixFragment.Use.ACCUMULATOR,
                element,
                shape);
        if (element.bits() < 8 && byColumns != use.equals("b")) {
            throw emitter.unsupported();
        }
        return new Access(fragment, byColumns, space);
    }

    /** Whether a matrix of a shape's products may have such elements. */
    private static boolean held(Shape shape, Element element, boolean accumulates) {
        if (!accumulates) {
            return WMMA_PRODUCTS.contains(shape.name() + " " + family(element));
        }
        return WMMA_PRODUCTS.stream()
                .filter(product -> product.startsWith(shape.name() + " "))
                .map(product -> product.substring(product.indexOf(' ') + 1))
                .anyMatch(multiplied -> switch (element) {
                    case S32 -> multiplied.startsWith("i");
                    case F64 -> multiplied.equals("f64");
                    case F16 -> multiplied.equals("f16");
                    case F32 -> multiplied.equals("f16") || multiplied.equals("bf16") || multiplied.equals("tf32");
                    default -> false;
                });
    }

    /** Elements from one row or column to the next; without, as many as it has. */
    private Expr stride(int i, Access access) {
        if (emitter.operands() > i) {
            return value(emitter.operand(i), Type.U32);
        }
        MatrixFragment fragment = access.fragment();
        return Emitter.constant(access.byColumns() ? fragment.rows() : fragment.columns());
    }

    private void loadFragment() {
        Access access = access("abc");
        emitter.operands(2, 3);
        MatrixFragment fragment = access.fragment();
        Site site = emitter.site(MemoryDecoder.kind(access.space(), true));
        Address address = address(1, access.space());
        Expr stride = stride(2, access);
        meet(
                site,
                new Sync.LoadFragment(
                        fragment,
                        access.byColumns(),
                        access.space(),
                        address,
                        stride,
                        targets(0, fragment.registers(), type(fragment.element()))));
    }

    private void storeFragment() {
        Access access = access("d");
        emitter.operands(2, 3);
        MatrixFragment fragment = access.fragment();
        Site site = emitter.site(MemoryDecoder.kind(access.space(), false));
        Address address = address(0, access.space());
        Expr stride = stride(2, access);
        meet(
                site,
                new Sync.StoreFragment(
                        fragment,
                        access.byColumns(),
                        access.space(),
                        address,
                        stride,
                        values(1, fragment.registers(), type(fragment.element()))));
    }
}
