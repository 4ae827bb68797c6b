package dev.panamark.kernel;

import java.util.List;
import java.util.Optional;
import java.util.SequencedMap;

/**
 * A kernel file, read and found consistent.
 *
 * @param file as the user named it
 * @param name full name
 * @param purpose one line
 * @param axes by name
 * @param zips groups of axes that go through their values together
 * @param lets by name
 * @param where conditions that a problem must meet
 * @param images by backend ({@code host.cuda} for a host launcher of CUDA)
 * @param buffers by name
 * @param tensorMaps by name
 * @param steps in order
 * @param work formulas
 * @param check what outputs are compared with
 * @param ceiling {@code flops} or {@code bytes}
 * @param hash of the file, its images and what these include
 */
record KernelSpec(
        String file,
        String name,
        String purpose,
        SequencedMap<String, Axis> axes,
        List<List<String>> zips,
        SequencedMap<String, Formula> lets,
        List<Formula> where,
        SequencedMap<String, List<ImageSpec>> images,
        SequencedMap<String, BufferSpec> buffers,
        SequencedMap<String, TensorMapSpec> tensorMaps,
        List<StepSpec> steps,
        WorkSpec work,
        CheckSpec check,
        Optional<String> ceiling,
        SourceHash hash) {}
