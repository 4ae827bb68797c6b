package dev.panamark.device.amdgpu;

import dev.panamark.device.DeviceException;
import dev.panamark.driver.rocmsmi.RocmSmi;
import dev.panamark.driver.rocmsmi.RocmSmiDevice;
import dev.panamark.driver.rocmsmi.RocmSmiException;
import dev.panamark.driver.rocmsmi.RocmSmiUnavailableException;
import java.util.Map;

/** The energy counter of one GPU through ROCm SMI, with an initialization of its own. */
final class LibraryCounter implements AutoCloseable {
    private final RocmSmi library;
    private final RocmSmiDevice device;

    private LibraryCounter(RocmSmi library, RocmSmiDevice device) {
        this.library = library;
        this.device = device;
    }

    /**
     * Finds the GPU.
     *
     * @throws DeviceException where there is no library, or it does not know the GPU
     */
    static LibraryCounter open(Map<String, String> env, String address) {
        RocmSmi library = RocmSmi.find(env).orElseThrow(DeviceException::new);
        try {
            for (int i = 0; i < library.deviceCount(); i++) {
                RocmSmiDevice device = library.device(i);
                if (device.pciAddress().equals(address)) {
                    return new LibraryCounter(library, device);
                }
            }
        } catch (RocmSmiException | RocmSmiUnavailableException e) {
            library.close();
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
        library.close();
        throw new DeviceException(library.file() + " knows no GPU at " + address);
    }

    /** The library's file. */
    String file() {
        return library.file();
    }

    /**
     * Counts of 2<sup>-16</sup> J.
     *
     * @throws DeviceException where the library fails, or would abort the process
     */
    long read() {
        try {
            return device.energyCount();
        } catch (RocmSmiException e) {
            throw new DeviceException(e.getMessage() + ". " + e.remedy(), e);
        } catch (RocmSmiUnavailableException | IllegalStateException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
    }

    @Override
    public void close() {
        try {
            library.close();
        } catch (RocmSmiException e) {
            throw new DeviceException(String.valueOf(e.getMessage()), e);
        }
    }
}
