package dev.panamark.ptx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the PTX ISA does not have is refused with its line, as ptxas of CUDA 13.0 does, and never means less. */
class RefusedTest {
    private static void refused(String instruction) {
        String text = Texts.kernel(1, instruction);
        int line = (int) text.substring(0, text.indexOf(instruction)).lines().count() + 1;
        PtxException refusal = assertThrows(PtxException.class, () -> PtxModule.load("k.ptx", text));
        assertEquals(line, refusal.line(), refusal.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cvt.rm.tf32.f32 %r1, %f1;",
                "cvt.rp.tf32.f32 %r1, %f1;",
                "cvt.rn.sat.tf32.f32 %r1, %f1;",
                "cvt.rna.relu.tf32.f32 %r1, %f1;",
                "cvt.tf32.f32 %r1, %f1;",
                "cvt.rn.relu.f32.f64 %f1, %d1;",
                "cvt.rzi.relu.s32.f32 %r1, %f1;",
                "cvt.rzi.satfinite.s32.f32 %r1, %f1;",
                "cvt.rn.s32.s64 %r1, %rd1;",
                "cvt.rn.f64.f32 %d1, %f1;",
                "cvt.rni.f32.s32 %f1, %r1;",
                "cvt.f32.s32 %f1, %r1;",
                "cvt.f32.f64 %f1, %d1;",
                "cvt.rn.s32.f32 %r1, %f1;",
                "cvt.rn.ftz.f16.f64 %h1, %d1;",
                "cvt.rn.sat.bf16.f32 %h1, %f1;",
                "cvt.rm.bf16x2.f32 %r1, %f1, %f2;",
                "cvt.rn.sat.f16x2.f32 %r1, %f1, %f2;",
                "cvt.rz.satfinite.e4m3x2.f32 %h1, %f1, %f2;",
                "cvt.rn.satfinite.f16x2.e4m3x2 %r1, %h1;",
                "cvt.rn.satfinite.e4m3x2.bf16x2 %h1, %r1;",
                "cvt.sat.u8.u8 %r1, %r2;",
                "cvt.sat.s16.u8 %h1, %r2;",
                "cvt.sat.u64.u32 %rd1, %r2;",
                "cvt.sat.s64.s64 %rd1, %rd2;",
                "cvt.rn.bf16.u8 %h1, %r2;",
                "cvt.rni.s8.bf16 %r1, %h2;",
            })
    void conversions(String instruction) {
        refused(instruction);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mul.lo.cc.u32 %r1, %r2, %r3;",
                "min.cc.s32 %r1, %r2, %r3;",
                "add.cc.u16 %h1, %h2, %h3;",
                "add.cc.f32 %f1, %f2, %f3;",
                "add.cc.sat.s32 %r1, %r2, %r3;",
                "mad.wide.cc.u32 %rd1, %r2, %r3, %rd4;",
                "mad.lo.cc.u16 %h1, %h2, %h3, %h4;",
                "mul.lo.hi.u32 %r1, %r2, %r3;",
                "mul.sat.lo.s32 %r1, %r2, %r3;",
                "min.sat.s32 %r1, %r2, %r3;",
                "add.sat.u32 %r1, %r2, %r3;",
                "mad.lo.sat.s32 %r1, %r2, %r3, %r4;",
                "min.sat.f32 %f1, %f2, %f3;",
                "add.sat.f64 %d1, %d2, %d3;",
                "add.sat.bf16 %h1, %h2, %h3;",
                "div.rn.sat.f32 %f1, %f2, %f3;",
                "sqrt.rn.sat.f32 %f1, %f2;",
                "add.relu.s32 %r1, %r2, %r3;",
                "min.relu.u32 %r1, %r2, %r3;",
                "max.relu.f32 %f1, %f2, %f3;",
                "fma.rn.relu.f32 %f1, %f2, %f3, %f4;",
                "fma.rn.relu.sat.f16 %h1, %h2, %h3, %h4;",
                "add.rz.f16 %h1, %h2, %h3;",
                "fma.rz.f16 %h1, %h2, %h3, %h4;",
                "max.rn.f32 %f1, %f2, %f3;",
                "add.rn.s32 %r1, %r2, %r3;",
                "fma.f32 %f1, %f2, %f3, %f4;",
                "div.f32 %f1, %f2, %f3;",
                "div.rn.approx.f32 %f1, %f2, %f3;",
                "div.rn.ftz.f64 %d1, %d2, %d3;",
                "rcp.f32 %f1, %f2;",
                "rcp.approx.f64 %d1, %d2;",
                "sqrt.approx.f64 %d1, %d2;",
                "sin.rn.f32 %f1, %f2;",
                "ex2.f32 %f1, %f2;",
                "ex2.approx.ftz.f16 %h1, %h2;",
                "tanh.approx.ftz.f32 %f1, %f2;",
                "abs.rn.f32 %f1, %f2;",
                "neg.ftz.f64 %d1, %d2;",
                "abs.ftz.s32 %r1, %r2;",
                "add.ftz.f64 %d1, %d2, %d3;",
                "add.NaN.f32 %f1, %f2, %f3;",
                "min.xorsign.f32 %f1, %f2, %f3;",
                "min.NaN.f64 %d1, %d2, %d3;",
                "add.noftz.f32 %f1, %f2, %f3;",
                "madc.lo.hi.u32 %r1, %r2, %r3, %r4;",
                "mul24.s32 %r1, %r2, %r3;",
                "dp4a.lo.u32.u32 %r1, %r2, %r3, %r4;",
                "dp2a.u32.u32 %r1, %r2, %r3, %r4;",
                "bmsk.b32 %r1, %r2, %r3;",
                "fns.f32 %f1, %f2, %r3, %r4;",
                "popc.f32 %r1, %f2;",
                "slct.ftz.b32.s32 %r1, %r2, %r3, %r4;",
                "setp.lt.ftz.s32 %p1, %r1, %r2;",
                "setp.lt.f16 %p1|%p2, %h1, %h2;",
                "setp.lt.bf16 %p1|%p2, %h1, %h2;",
                "set.lt.u16.u32 %h1, %r1, %r2;",
                "set.lt.b32.u32 %r1, %r1, %r2;",
                "set.lt.u16.f16x2 %h1, %r1, %r2;",
                "set.lt.f32.bf16 %f1, %h1, %h2;",
                "set.lt.f16.bf16 %h1, %h1, %h2;",
                "set.lt.ftz.bf16.f32 %h1, %f1, %f2;",
                "set.lt.bf16x2.f16x2 %r1, %r2, %r3;",
                "atom.global.add.s64 %rd1, [%rd2], %rd3;",
                "red.shared.add.s64 [%rd2], %rd3;",
                "setp.lo.s32 %p1, %r1, %r2;",
                "ld.release.gpu.global.u32 %r1, [%rd1];",
                "st.acquire.gpu.global.u32 [%rd1], %r1;",
                "atom.global.min.noftz.s32 %r1, [%rd1], %r2;",
                "sqrt.approx.ftz.f64 %d1, %d2;",
            })
    void modifiers(String instruction) {
        refused(instruction);
    }

    /** Of tensor cores, m8n8k4 of f16, other roundings of f64 and single bits are left out; ptxas refuses the rest. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%r6,%r7};",
                "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f32 {%r6,%r7},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k16.row.col.rn.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.m16n8k16.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3},{%r0,%r1,%r2,%r3},{%r4,%r5},{%f0,%f1,%f2,%f3};",
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.u4.s32 {%r0,%r1,%r2,%r3},{%r0,%r1,%r2,%r3},{%r4},{%r0,%r1,%r2,%r3};",
                "mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},{%r0,%r1},{%r0,%r1},{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
                "mma.sync.aligned.m8n8k4.row.col.rz.f64.f64.f64.f64 {%d0,%d1},{%d2},{%d3},{%d0,%d1};",
                "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%f0,%f1,%f2,%f3},{%d0,%d1,%d2,%d3},{%d4,%d5},{%d0,%d1,%d2,%d3};",
                "ldmatrix.sync.aligned.m8n8.x1.shared.b16 %r0, [%r1];",
                "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r0,%r1}, [%r2];",
                "ldmatrix.sync.aligned.m8n8.shared.b16 {%r0}, [%r1];",
                "ldmatrix.sync.aligned.m8n8.x1.global.b16 {%r0}, [%rd1];",
                "movmatrix.sync.aligned.m8n8.b16 %r0, %r1;",
                "wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32.satfinite {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7},{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7},{%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7},{%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};",
                "wmma.load.a.sync.aligned.row.m16n16k16.global.f32 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];",
                "wmma.load.a.sync.aligned.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];",
                "wmma.store.d.sync.aligned.row.m16n16k16.global.bf16 [%rd1], {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7};",
            })
    void tensors(String instruction) {
        refused(instruction);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cp.async.cg.shared.global [%r1], [%rd0], 8;",
                "cp.async.ca.shared.global [%r1], [%rd0], 12;",
                "cp.async.ca.shared.global [%r1], [%rd0], %r2;",
                "cp.async.ca.global.shared [%rd0], [%r1], 16;",
                "cp.async.ca.shared.global [%r1], [%rd0], 16, %h1;",
                "cp.async.ca.shared.global.L2::cache_hint [%r1], [%rd0], 16;",
                "cp.async.ca.shared.global [%r1], [%rd0], 16, 16, %rd1;",
                "cp.async.wait_group %r1;",
                "cp.async.wait_group -1;",
                "cp.async.commit_group 1;",
                "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%rd0], 16, [%r2];",
                "cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd0], [%r1], 16;",
            })
    void copies(String instruction) {
        refused(instruction);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mbarrier.init.shared.b32 [%r1], 1;",
                "mbarrier.init.global.b64 [%rd0], 1;",
                "mbarrier.init.shared.b64 [%r1];",
                "mbarrier.arrive.shared.b64 %r2, [%r1];",
                "mbarrier.arrive.expect_tx.shared.b64 %rd1, [%r1];",
                "mbarrier.arrive.noComplete.shared.b64 %rd1, [%r1];",
                "mbarrier.arrive.expect_tx.noComplete.shared.b64 %rd1, [%r1], 1;",
                "mbarrier.test_wait.shared.b64 %p1, [%r1], %r2;",
                "mbarrier.test_wait.shared.b64 %r3, [%r1], %rd2;",
                "mbarrier.test_wait.parity.shared.b64 %p1, [%r1], 0, 1;",
                "mbarrier.pending_count.b64 %rd1, %rd2;",
                "mbarrier.wait.shared.b64 [%r1];",
                "cp.async.mbarrier.wait.shared.b64 [%r1];",
            })
    void mbarriers(String instruction) {
        refused(instruction);
    }

    /** Integers that a real type would only take as bits, and what is not understood of an operand. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                ".shared .b32 s[4];mov.f32 %f1, s;",
                ".shared .b32 s[4];mov.f64 %d1, s;",
                "mov.f64 %d1, %tid.x;",
                "mov.f32 %f1, %tid.x;",
                "mov.f64 %d1, %clock64;",
                "add.f32 %f1, %f2+4, %f3;",
                "add.f64 %d1, %d2+4, %d3;",
                "mov.u32 %r1, %clock64;",
                "mov.u64 %rd1, generic(k);",
                "ld.global.u32 %r1, [%rd1, {%r2}];",
                "st.global.u32 [%rd1, %r3], %r2;",
                "mov.f32 %f1, 0fzzzzzzzz;",
                "mov.f64 %d1, 0d+000000000000000;",
                "mov.f64 %d1, 1.5.5;",
                "mov.f64 %d1, 1.0ex;",
            })
    void operands(String instruction) {
        refused(instruction);
    }
}
