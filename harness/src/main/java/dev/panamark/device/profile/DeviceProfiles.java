package dev.panamark.device.profile;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/** All profiles that are known. */
public final class DeviceProfiles {
    private static final String RESOURCE = "profiles.yaml";

    private final List<DeviceProfile> all;

    private DeviceProfiles(List<DeviceProfile> all) {
        this.all = all;
    }

    /** Those that come with Panamark; reads them anew. */
    public static DeviceProfiles shipped() {
        try (InputStream in = Objects.requireNonNull(DeviceProfiles.class.getResourceAsStream(RESOURCE))) {
            return of(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(RESOURCE + " of this package cannot be read", e);
        }
    }

    /**
     * Those in a text.
     *
     * @param yaml {@code panamark.profiles/1}
     * @throws ProfileDataException when it is not as it should be
     */
    static DeviceProfiles of(String yaml) {
        return new DeviceProfiles(ProfileReader.read(yaml));
    }

    /** All of them, in the order of the data. */
    public List<DeviceProfile> all() {
        return all;
    }

    /** The profile of this name or alias. */
    public Optional<DeviceProfile> named(String name) {
        String wanted = name.strip().toLowerCase(Locale.ROOT);
        return all.stream()
                .filter(p -> p.name().equals(wanted) || p.aliases().contains(wanted))
                .findFirst();
    }

    /**
     * The profile of a device by what its driver calls it. Names must match wholly: a laptop GPU is not the card whose
     * name it bears.
     */
    public Optional<DeviceProfile> ofDriverName(String name) {
        return all.stream()
                .filter(p -> p.match().stream().anyMatch(m -> m.equalsIgnoreCase(name.strip())))
                .findFirst();
    }

    /**
     * The profile of a device by its PCI ids.
     *
     * @param vendor 16 bits
     * @param device 16 bits
     */
    public Optional<DeviceProfile> ofPci(int vendor, int device) {
        String id = String.format(Locale.ROOT, "%04x:%04x", vendor, device);
        return all.stream().filter(p -> p.pci().contains(id)).findFirst();
    }
}
