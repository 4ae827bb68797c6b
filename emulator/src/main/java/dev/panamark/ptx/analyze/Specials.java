package dev.panamark.ptx.analyze;

import dev.panamark.ptx.ir.BlockValue;
import dev.panamark.ptx.ir.Expr;
import dev.panamark.ptx.ir.Jvm;
import dev.panamark.ptx.ir.Type;
import dev.panamark.ptx.parse.Syntax;

/** Special registers. A cluster is one block. */
final class Specials {
    private Specials() {}

    static Expr value(Emitter emitter, Syntax.Name name, Type type) {
        String full = name.name() + (name.component().isEmpty() ? "" : "." + name.component());
        Expr value = switch (full) {
            case "%tid.x" -> new Expr.ThreadIndex(0);
            case "%tid.y" -> new Expr.ThreadIndex(1);
            case "%tid.z" -> new Expr.ThreadIndex(2);
            case "%ntid.x" -> new Expr.Uniform(BlockValue.THREADS_X);
            case "%ntid.y" -> new Expr.Uniform(BlockValue.THREADS_Y);
            case "%ntid.z" -> new Expr.Uniform(BlockValue.THREADS_Z);
            case "%ctaid.x", "%clusterid.x" -> new Expr.Uniform(BlockValue.BLOCK_X);
            case "%ctaid.y", "%clusterid.y" -> new Expr.Uniform(BlockValue.BLOCK_Y);
            case "%ctaid.z", "%clusterid.z" -> new Expr.Uniform(BlockValue.BLOCK_Z);
            case "%nctaid.x", "%nclusterid.x" -> new Expr.Uniform(BlockValue.GRID_X);
            case "%nctaid.y", "%nclusterid.y" -> new Expr.Uniform(BlockValue.GRID_Y);
            case "%nctaid.z", "%nclusterid.z" -> new Expr.Uniform(BlockValue.GRID_Z);
            case "%cluster_ctaid.x",
                    "%cluster_ctaid.y",
                    "%cluster_ctaid.z",
                    "%cluster_ctarank",
                    "%gridid",
                    "%is_explicit_cluster",
                    "%tid.w",
                    "%ctaid.w" -> Emitter.constant(0);
            case "%cluster_nctaid.x",
                    "%cluster_nctaid.y",
                    "%cluster_nctaid.z",
                    "%cluster_nctarank",
                    "%ntid.w",
                    "%nctaid.w" -> Emitter.constant(1);
            case "%laneid" -> new Expr.Lane();
            case "%warpid" -> new Expr.WarpIndex();
            case "%nwarpid" -> new Expr.Uniform(BlockValue.WARPS);
            case "%smid" -> new Expr.Uniform(BlockValue.SM);
            case "%nsmid" -> new Expr.Uniform(BlockValue.SMS);
            case "%dynamic_smem_size" -> new Expr.Uniform(BlockValue.DYNAMIC_SHARED_BYTES);
            case "%total_smem_size", "%aggr_smem_size" -> new Expr.Uniform(BlockValue.TOTAL_SHARED_BYTES);
            case "%reserved_smem_offset_begin", "%reserved_smem_offset_0" ->
                Emitter.constant(emitter.reserved().getAsInt());
            case "%reserved_smem_offset_1" ->
                Emitter.constant(emitter.reserved().getAsInt() + 512);
            case "%reserved_smem_offset_end" ->
                Emitter.constant(emitter.reserved().getAsInt() + 1024);
            case "%reserved_smem_offset_cap" -> Emitter.constant(1024);
            case "%envreg1" -> new Expr.Uniform(BlockValue.WORKSPACE_HIGH);
            case "%envreg2" -> new Expr.Uniform(BlockValue.WORKSPACE_LOW);
            case "%lanemask_lt" -> Emitter.logic("lanesBelow", new Expr.Lane());
            case "%lanemask_le" -> Emitter.logic("lanesUpTo", new Expr.Lane());
            case "%lanemask_gt" -> Emitter.logic("lanesAbove", new Expr.Lane());
            case "%lanemask_ge" -> Emitter.logic("lanesFrom", new Expr.Lane());
            case "%lanemask_eq" -> Emitter.logic("laneBit", new Expr.Lane());
            case "%clock", "%globaltimer_lo" -> Emitter.logic("low32", new Expr.Clock());
            case "%clock64", "%globaltimer" -> new Expr.Clock();
            case "%clock_hi", "%globaltimer_hi" -> Emitter.logic("high32", new Expr.Clock());
            default -> throw emitter.fault(name.at(), "unknown register " + full);
        };
        if (type == Type.PRED && full.equals("%is_explicit_cluster")) {
            return value;
        }
        if (!type.integer() && !type.untyped()) {
            throw emitter.fault(name.at(), full + " as ." + type.ptx() + "; expected an integer type");
        }
        boolean wide = value.jvm() == Jvm.LONG;
        if (type.bits() == 64) {
            return wide ? value : Emitter.convert("extendU", value);
        }
        if (wide || type.bits() < 16 || type.bits() > 32) {
            throw emitter.fault(name.at(), full + " as ." + type.ptx() + "; expected another width");
        }
        return type.bits() == 32 ? value : Emitter.integer("cut16", value);
    }
}
