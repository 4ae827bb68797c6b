/**
 * Code objects of AMD's GPUs as files: which processor they are for, which kernels they hold and what those need. Read from
 * their bytes alone, as LLVM's "User Guide for AMDGPU Backend" and "Clang Offload Bundler" lay them out.
 */
@NullMarked
package dev.panamark.driver.codeobject;

import org.jspecify.annotations.NullMarked;
