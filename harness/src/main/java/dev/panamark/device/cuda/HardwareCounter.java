package dev.panamark.device.cuda;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The counters that are read, by NVIDIA's names. Most are sums over a device's units, so that those of several launches can
 * be added; the others are percentages of what a unit can do in the cycles in which it is active, and their mean over
 * several launches is weighted with these.
 *
 * <p>Which chips have which was asked of CUPTI's host library, 13.0.85, for GH100, GA100, AD102 and GB100.
 */
enum HardwareCounter {
    CYCLES_ACTIVE("sm__cycles_active"),
    CYCLES_ELAPSED("sm__cycles_elapsed"),
    WARPS_ACTIVE_PERCENT("sm__warps_active"),
    TENSOR_ACTIVE_PERCENT("sm__pipe_tensor_cycles_active"),
    THREAD_INSTRUCTIONS("smsp__thread_inst_executed"),

    SHARED_REQUESTS("smsp__sass_inst_executed_op_shared"),
    SHARED_WAVEFRONTS("l1tex__data_pipe_lsu_wavefronts_mem_shared"),
    SHARED_WAVEFRONTS_OF_INSTRUCTIONS("smsp__sass_l1tex_pipe_lsu_wavefronts_mem_shared"),
    CONFLICTS("l1tex__data_bank_conflicts_pipe_lsu_mem_shared"),
    CONFLICTS_LOAD("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld"),
    CONFLICTS_STORE("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st"),
    CONFLICTS_ATOMIC("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_atom"),
    /** {@code cp.async}. */
    CONFLICTS_COPY("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts"),
    /** {@code wgmma}. */
    CONFLICTS_MATRIX("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_gmma", "GA100", "AD102", "GB100"),

    SECTORS_LOAD("l1tex__t_sectors_pipe_lsu_mem_global_op_ld"),
    SECTORS_STORE("l1tex__t_sectors_pipe_lsu_mem_global_op_st"),
    SECTORS_REDUCE("l1tex__t_sectors_pipe_lsu_mem_global_op_red"),
    SECTORS_ATOMIC("l1tex__t_sectors_pipe_lsu_mem_global_op_atom"),
    REQUESTS_LOAD("l1tex__t_requests_pipe_lsu_mem_global_op_ld"),
    REQUESTS_STORE("l1tex__t_requests_pipe_lsu_mem_global_op_st"),
    REQUESTS_REDUCE("l1tex__t_requests_pipe_lsu_mem_global_op_red"),
    REQUESTS_ATOMIC("l1tex__t_requests_pipe_lsu_mem_global_op_atom"),

    L2_HITS("lts__t_sectors_lookup_hit"),
    L2_MISSES("lts__t_sectors_lookup_miss"),
    DRAM_READ("dram__bytes_read"),
    DRAM_WRITTEN("dram__bytes_write"),

    FADD("smsp__sass_thread_inst_executed_op_fadd_pred_on"),
    FMUL("smsp__sass_thread_inst_executed_op_fmul_pred_on"),
    FFMA("smsp__sass_thread_inst_executed_op_ffma_pred_on"),
    HADD("smsp__sass_thread_inst_executed_op_hadd_pred_on"),
    HMUL("smsp__sass_thread_inst_executed_op_hmul_pred_on"),
    HFMA("smsp__sass_thread_inst_executed_op_hfma_pred_on"),
    DADD("smsp__sass_thread_inst_executed_op_dadd_pred_on"),
    DMUL("smsp__sass_thread_inst_executed_op_dmul_pred_on"),
    DFMA("smsp__sass_thread_inst_executed_op_dfma_pred_on"),
    TENSOR_F16("sm__ops_path_tensor_src_fp16", "GA100", "AD102", "GB100"),
    TENSOR_F16_F16("sm__ops_path_tensor_src_fp16_dst_fp16", "GH100"),
    TENSOR_F16_F32("sm__ops_path_tensor_src_fp16_dst_fp32", "GH100"),
    TENSOR_BF16("sm__ops_path_tensor_src_bf16_dst_fp32"),
    TENSOR_TF32("sm__ops_path_tensor_src_tf32_dst_fp32"),
    TENSOR_F64("sm__ops_path_tensor_src_fp64"),
    TENSOR_F8("sm__ops_path_tensor_src_fp8", "GA100", "GB100"),
    TENSOR_F4_F6_F8_F16("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp16", "GH100", "GA100", "AD102"),
    TENSOR_F4_F6_F8_F32("sm__ops_path_tensor_src_fp4_fp6_fp8_dst_fp32", "GH100", "GA100", "AD102"),
    TENSOR_F4("sm__ops_path_tensor_src_fp4_dst_fp32", "GH100", "GA100", "AD102"),

    STALLED_BARRIER("smsp__warps_issue_stalled_barrier"),
    STALLED_BRANCH_RESOLVING("smsp__warps_issue_stalled_branch_resolving"),
    STALLED_DISPATCH_STALL("smsp__warps_issue_stalled_dispatch_stall"),
    STALLED_DRAIN("smsp__warps_issue_stalled_drain"),
    STALLED_GMMA("smsp__warps_issue_stalled_gmma", "GA100", "AD102", "GB100"),
    STALLED_IMC_MISS("smsp__warps_issue_stalled_imc_miss", "GB100"),
    STALLED_LG_THROTTLE("smsp__warps_issue_stalled_lg_throttle"),
    STALLED_LONG_SCOREBOARD("smsp__warps_issue_stalled_long_scoreboard"),
    STALLED_MATH_PIPE_THROTTLE("smsp__warps_issue_stalled_math_pipe_throttle"),
    STALLED_MEMBAR("smsp__warps_issue_stalled_membar"),
    STALLED_MIO_THROTTLE("smsp__warps_issue_stalled_mio_throttle"),
    STALLED_MISC("smsp__warps_issue_stalled_misc"),
    STALLED_NO_INSTRUCTION("smsp__warps_issue_stalled_no_instruction"),
    STALLED_NOT_SELECTED("smsp__warps_issue_stalled_not_selected"),
    STALLED_SHORT_SCOREBOARD("smsp__warps_issue_stalled_short_scoreboard"),
    STALLED_SLEEPING("smsp__warps_issue_stalled_sleeping"),
    STALLED_TEX_THROTTLE("smsp__warps_issue_stalled_tex_throttle"),
    STALLED_WAIT("smsp__warps_issue_stalled_wait");

    private static final String STALLED = "STALLED_";

    private final String base;

    @SuppressWarnings("ImmutableEnumChecker") // it is, as Set.of made it
    private final Set<String> absent;

    HardwareCounter(String base, String... absent) {
        this.base = base;
        this.absent = Set.of(absent);
    }

    /** {@code sm__cycles_active.sum}. */
    String metric() {
        return base + (isPercentage() ? ".avg.pct_of_peak_sustained_active" : ".sum");
    }

    boolean isPercentage() {
        return name().endsWith("_PERCENT");
    }

    /** Chips, of the four that were asked for, that have no such counter. */
    Set<String> absent() {
        return absent;
    }

    /** Reasons for which warps do not issue; that one does issue is none. */
    static List<HardwareCounter> stalls() {
        return Arrays.stream(values())
                .filter(counter -> counter.name().startsWith(STALLED))
                .toList();
    }

    /** Of a stall, {@code short_scoreboard}. */
    String reason() {
        return name().substring(STALLED.length()).toLowerCase(Locale.ROOT);
    }
}
