package dev.panamark.worker;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/** One end of the line between parent and worker. One thread may send while another receives. */
final class Wire implements AutoCloseable {
    private static final ObjectMapper JSON =
            new ObjectMapper().disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);

    private final SocketChannel channel;
    private final BufferedReader in;
    private final BufferedWriter out;

    Wire(SocketChannel channel) {
        this.channel = channel;
        this.in = new BufferedReader(Channels.newReader(channel, StandardCharsets.UTF_8));
        this.out = new BufferedWriter(Channels.newWriter(channel, StandardCharsets.UTF_8));
    }

    static Wire connect(Path socket) throws IOException {
        return new Wire(SocketChannel.open(UnixDomainSocketAddress.of(socket)));
    }

    synchronized void send(Message message) throws IOException {
        out.write(JSON.writerFor(Message.class).writeValueAsString(message));
        out.write('\n');
        out.flush();
    }

    /** The next message; empty when the other end is gone. */
    Optional<Message> receive() throws IOException {
        String line = in.readLine();
        if (line == null) {
            return Optional.empty();
        }
        try {
            Message message = JSON.readValue(line, Message.class);
            if (message == null) {
                throw new IOException(notUnderstood(line));
            }
            return Optional.of(message);
        } catch (JsonProcessingException e) {
            throw new IOException(notUnderstood(line), e);
        }
    }

    private static String notUnderstood(String line) {
        return "a line of the worker protocol is not understood: \"" + line.substring(0, Math.min(200, line.length()))
                + "\"";
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            // The other end is gone already; there is nothing left to end.
        }
    }
}
