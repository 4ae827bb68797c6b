package dev.panamark.cli;

import picocli.CommandLine.IVersionProvider;

/** The version, from the jar's manifest. */
final class Version implements IVersionProvider {

    static String number() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "built from sources" : version;
    }

    @Override
    public String[] getVersion() {
        return new String[] {"panamark " + number() + ", Java " + Runtime.version()};
    }
}
