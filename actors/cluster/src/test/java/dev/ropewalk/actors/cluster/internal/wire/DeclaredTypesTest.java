package dev.ropewalk.actors.cluster.internal.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.esotericsoftware.kryo.KryoException;
import com.esotericsoftware.kryo.io.Output;

import dev.ropewalk.actors.Recipient;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

import java.time.Duration;
import java.time.Period;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Rule A7: a component that another version declares otherwise is refused, and never misread. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DeclaredTypesTest {
    record Texts(List<String> all) {}

    record Numbers(List<Long> all) {}

    record Labels(Set<String> all) {}

    record Maybe(Optional<Integer> value) {}

    record MaybeLong(Optional<Long> value) {}

    record Prices(Map<String, List<Integer>> byName) {}

    record LongPrices(Map<String, List<Long>> byName) {}

    record Pause(@Nullable Duration time) {}

    record Holiday(@Nullable Period time) {}

    record Boxed(Integer value) {}

    record Plain(int value) {}

    record AskText(Recipient<String> replyTo) {}

    record AskNumber(Recipient<Long> replyTo) {}

    record Pair<A, B>(A first, B second) {}

    record HasPair(Pair<String, Integer> pair) {}

    record HasOtherPair(Pair<String, Long> pair) {}

    record HasOpenPair(Pair<? extends Object, Integer> pair) {}

    sealed interface Pet {}

    record Cat(String name) implements Pet {}

    record Dog(String name) implements Pet {}

    record HasCat(@Nullable Cat pet) {}

    record HasDog(@Nullable Dog pet) {}

    record HasPet(@Nullable Pet pet) {}

    record HasCats(List<Cat> pets) {}

    record HasDogs(List<Dog> pets) {}

    record HasPets(List<Pet> pets) {}

    record HasAny(List<? extends Object> pets) {}

    enum Small {
        ONE
    }

    enum Large {
        ONE
    }

    record HasSmall(Small size) {}

    record HasLarge(Large size) {}

    private static Wire between(Class<?> there, Class<?> here) {
        return Wire.between(
                Wire.named(Map.of(there, "order", Cat.class, "cat", Dog.class, "dog")),
                Wire.named(Map.of(here, "order", Cat.class, "cat", Dog.class, "dog")));
    }

    /** Also where this message has nothing in it that could be misread. */
    private static void assertRefuses(Object message, Class<?> here, String... parts) {
        Wire wire = between(message.getClass(), here);
        String refusal =
                String.valueOf(
                        assertThrows(RefusedTypeException.class, () -> wire.carry(message))
                                .getMessage());
        for (String each : parts) {
            assertTrue(refusal.contains(each), refusal);
        }
        assertTrue(refusal.contains("type order"), refusal);
        List<String> told = wire.seen().refused();
        assertTrue(told.stream().anyMatch(each -> each.startsWith("order: ")), told::toString);
        assertEquals(new Cat("c"), wire.carry(new Cat("c")));
    }

    private static void assertCarries(Object message, Object arrives) {
        assertEquals(arrives, between(message.getClass(), arrives.getClass()).carry(message));
    }

    @Test
    void A7_elementsOfAnotherTypeAreRefused() {
        assertRefuses(
                new Texts(List.of("x")),
                Numbers.class,
                "component all is List<String> there, and List<Long> here");
        assertRefuses(new Texts(List.of()), Numbers.class, "all");
        assertRefuses(new Maybe(Optional.of(1)), MaybeLong.class, "Optional<Integer> there");
        assertRefuses(new Maybe(Optional.empty()), MaybeLong.class, "Optional<Integer> there");
        assertRefuses(
                new Prices(Map.of("x", List.of(1))),
                LongPrices.class,
                "Map<String, List<Integer>> there, and Map<String, List<Long>> here");
        assertRefuses(new Texts(List.of("x")), Labels.class, "List<String>", "Set<String>");
    }

    @Test
    void A7_builtinTypeThatIsAnotherIsRefused() {
        assertRefuses(
                new Pause(Duration.ZERO), Holiday.class, "time is Duration there, and Period here");
        assertRefuses(new Pause(null), Holiday.class, "time");
        assertRefuses(new Boxed(1), Plain.class, "value is Integer there, and int here");
    }

    @Test
    void A7_recordOrEnumOfAnotherNameIsRefused() {
        assertRefuses(new HasCat(new Cat("x")), HasDog.class, "pet is cat there, and dog here");
        assertRefuses(new HasCat(null), HasDog.class, "pet is cat there, and dog here");
        assertRefuses(new HasCats(List.of()), HasDogs.class, "List<cat> there, and List<dog>");
        assertRefuses(new HasSmall(Small.ONE), HasLarge.class, "Small there", "Large here");
        assertRefuses(
                new HasPair(new Pair<>("x", 1)),
                HasOtherPair.class,
                "Pair<String, Integer> there",
                "Pair<String, Long> here");
        assertRefuses(new HasOpenPair(new Pair<>(1, 1)), HasPair.class, "Pair<?, Integer> there");
        assertCarries(new HasOpenPair(new Pair<>("x", 1)), new HasOpenPair(new Pair<>("x", 1)));
    }

    /** The asker would get a reply that it cannot take. */
    @Test
    void A7_questionWithAnotherReplyIsRefused() {
        assertRefuses(
                new AskText(Wire.address()),
                AskNumber.class,
                "Recipient<String> there, and Recipient<Long> here");
        assertCarries(new AskText(Wire.address()), new AskText(Wire.address()));
    }

    /** The values decide where the declaration leaves open what they are. */
    @Test
    void A7_componentOfAnOpenTypeIsRefusedByItsValue() {
        Cat cat = new Cat("x");
        Dog dog = new Dog("y");
        assertCarries(new HasPet(cat), new HasCat(cat));
        assertCarries(new HasCat(cat), new HasPet(cat));
        assertCarries(new HasPet(null), new HasCat(null));
        assertCarries(new HasPets(List.of(cat)), new HasCats(List.of(cat)));
        assertCarries(new HasAny(Arrays.asList(cat, null)), new HasCats(Arrays.asList(cat, null)));
        assertRefusesValue(
                new HasPet(dog),
                HasCat.class,
                "Dog, where dev.ropewalk.actors.cluster.internal.wire.DeclaredTypesTest$Cat is");
        assertRefusesValue(
                new HasPets(List.of(cat, dog)),
                HasCats.class,
                "component pets has a value of type");
        assertRefusesValue(
                new HasAny(List.of("text")), HasPets.class, "type java.lang.String, where");
    }

    private static void assertRefusesValue(Object message, Class<?> here, String part) {
        Wire wire = between(message.getClass(), here);
        String refusal =
                String.valueOf(
                        assertThrows(RefusedTypeException.class, () -> wire.carry(message))
                                .getMessage());
        assertTrue(refusal.contains("type order "), refusal);
        assertTrue(refusal.contains(part), refusal);
        assertEquals(List.of(), wire.seen().refused());
    }

    record Deep(List<Map<String, Optional<Object>>> all) {}

    record DeepTexts(List<Map<String, Optional<String>>> all) {}

    record ByText(Map<Object, String> all) {}

    record ByNumber(Map<Integer, String> all) {}

    @Test
    void A7_valuesInCollectionsInCollectionsAreLookedAt() {
        assertRefusesValue(
                new Deep(List.of(Map.of("x", Optional.of(1)))),
                DeepTexts.class,
                "all has a value of type java.lang.Integer, where java.lang.String is declared");
        assertCarries(
                new Deep(List.of(Map.of("x", Optional.of("y")))),
                new DeepTexts(List.of(Map.of("x", Optional.of("y")))));
        assertRefusesValue(
                new ByText(Map.of("x", "y")),
                ByNumber.class,
                "all has a value of type java.lang.String, where java.lang.Integer is");
    }

    @Test
    void A7_descriptionThatIsNestedTooDeepIsNone() {
        Output output = new Output(64, 4_096);
        for (int i = 0; i < 100; i++) {
            Text.write(output, "List");
            output.writeVarInt(1, true);
        }
        Text.write(output, "String");
        output.writeVarInt(0, true);
        WireInput input = new WireInput();
        input.setBuffer(output.getBuffer(), 0, output.position());
        String failure =
                String.valueOf(
                        assertThrows(KryoException.class, () -> Declared.read(input)).getMessage());
        assertTrue(failure.contains("deeper than 64"), failure);
    }

    @Test
    void A7_constantThatIsNotHereIsNamed() {
        Wire wire =
                Wire.between(
                        Wire.named(Map.of(VersionsTest.Sizes.class, "size")),
                        Wire.named(Map.of(VersionsTest.Size.class, "size")));
        String refusal =
                String.valueOf(
                        assertThrows(
                                        RefusedTypeException.class,
                                        () -> wire.carry(VersionsTest.Sizes.HUGE))
                                .getMessage());
        assertTrue(refusal.contains("type size cannot be read: its constant HUGE"), refusal);
    }
}
