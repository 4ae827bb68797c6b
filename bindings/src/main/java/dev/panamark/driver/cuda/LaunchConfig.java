package dev.panamark.driver.cuda;

import dev.panamark.raw.cuda.CUlaunchAttributeValue_union;
import dev.panamark.raw.cuda.CUlaunchAttribute_st;
import dev.panamark.raw.cuda.CUlaunchConfig_st;
import dev.panamark.raw.cuda.cuda_h;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;

/** {@code CUlaunchConfig} of a shape. */
final class LaunchConfig {
    private LaunchConfig() {}

    static MemorySegment of(LaunchShape shape, MemorySegment stream, SegmentAllocator allocator) {
        MemorySegment config = CUlaunchConfig_st.allocate(allocator);
        CUlaunchConfig_st.gridDimX(config, shape.grid().x());
        CUlaunchConfig_st.gridDimY(config, shape.grid().y());
        CUlaunchConfig_st.gridDimZ(config, shape.grid().z());
        CUlaunchConfig_st.blockDimX(config, shape.block().x());
        CUlaunchConfig_st.blockDimY(config, shape.block().y());
        CUlaunchConfig_st.blockDimZ(config, shape.block().z());
        CUlaunchConfig_st.sharedMemBytes(config, shape.sharedBytes());
        CUlaunchConfig_st.hStream(config, stream);
        MemorySegment attributes = CUlaunchAttribute_st.allocateArray(2, allocator);
        int count = 0;
        if (shape.hasCluster()) {
            MemorySegment attribute = CUlaunchAttribute_st.asSlice(attributes, count++);
            CUlaunchAttribute_st.id(attribute, cuda_h.CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION());
            MemorySegment size = CUlaunchAttributeValue_union.clusterDim(CUlaunchAttribute_st.value(attribute));
            CUlaunchAttributeValue_union.clusterDim.x(size, shape.cluster().x());
            CUlaunchAttributeValue_union.clusterDim.y(size, shape.cluster().y());
            CUlaunchAttributeValue_union.clusterDim.z(size, shape.cluster().z());
        }
        if (shape.cooperative()) {
            MemorySegment attribute = CUlaunchAttribute_st.asSlice(attributes, count++);
            CUlaunchAttribute_st.id(attribute, cuda_h.CU_LAUNCH_ATTRIBUTE_COOPERATIVE());
            CUlaunchAttributeValue_union.cooperative(CUlaunchAttribute_st.value(attribute), 1);
        }
        CUlaunchConfig_st.attrs(config, attributes);
        CUlaunchConfig_st.numAttrs(config, count);
        return config;
    }
}
