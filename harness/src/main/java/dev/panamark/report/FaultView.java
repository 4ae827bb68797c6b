package dev.panamark.report;

import dev.panamark.finding.Fault;
import java.util.Optional;

/**
 * A fault with the code of its lines.
 *
 * @param code of the line where it was seen; empty where its file is not at hand
 * @param otherCode of the access that it does not fit with
 */
public record FaultView(Fault fault, Optional<String> code, Optional<String> otherCode) {}
