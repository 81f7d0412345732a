package dev.ropewalk.actors.internal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.attribute.CodeAttribute;
import java.util.List;
import java.util.Objects;

/** How much code the methods are on the way of a message, because C2 inlines by that. */
@Timeout(30)
class TurnSizeTest {
    /**
     * The flag FreqInlineSize: a method of more bytes of code is not inlined, however hot it is.
     */
    private static final int MAX_INLINED = 325;

    /** The flag MaxInlineSize: a method of so many bytes is inlined also where it is not hot. */
    private static final int ALWAYS_INLINED = 35;

    private static int sizeOf(Class<?> owner, String method) throws IOException {
        String file = owner.getSimpleName() + ".class";
        try (InputStream in = Objects.requireNonNull(owner.getResourceAsStream(file), file)) {
            ClassModel model = ClassFile.of().parse(in.readAllBytes());
            List<Integer> sizes =
                    model.methods().stream()
                            .filter(each -> each.methodName().equalsString(method))
                            .flatMap(each -> each.code().stream())
                            .map(code -> ((CodeAttribute) code).codeLength())
                            .toList();
            assertEquals(1, sizes.size(), owner + " has " + sizes.size() + " methods " + method);
            return sizes.getFirst();
        }
    }

    @Test
    void A1_aTurnBeginsAFrame() throws IOException {
        int size = sizeOf(Incarnation.class, "handle");
        assertTrue(
                size > MAX_INLINED,
                "handle has size=" + size + " <= " + MAX_INLINED + ": see its comment");
    }

    /** The short way of a tell, and the two steps below it, stay small. */
    @Test
    void A1_aPlainTellIsInlined() throws IOException {
        assertTrue(sizeOf(ActorCell.class, "tell") < MAX_INLINED);
        assertTrue(sizeOf(Incarnation.class, "isHanded") <= ALWAYS_INLINED);
    }
}
