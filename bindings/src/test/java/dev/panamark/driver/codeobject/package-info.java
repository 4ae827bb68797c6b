/** Code objects that clang made, against what LLVM's own reader tells of them. */
@NullMarked
package dev.panamark.driver.codeobject;

import org.jspecify.annotations.NullMarked;
