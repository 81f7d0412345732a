package dev.ropewalk.examples;

import java.lang.classfile.Annotation;
import java.lang.classfile.AnnotationElement;
import java.lang.classfile.AnnotationValue;
import java.lang.classfile.AttributedElement;
import java.lang.classfile.Attributes;
import java.lang.classfile.Signature;
import java.lang.classfile.TypeAnnotation;
import java.lang.classfile.TypeAnnotation.TypePathComponent;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * The text of the types that one type, member or record component names, with their annotations:
 * whether a value may be null is part of what a program relies on. A name in {@code java.lang} is
 * short, all others are full.
 */
final class ApiTypeText {
    static final String RETURN = "METHOD_RETURN";
    static final String FIELD = "FIELD";

    private static final String JAVA_LANG = "java.lang.";

    /** By the place in the declaration and the path within the type there. */
    private final Map<String, String> annotations = new HashMap<>();

    /** Of types that carry no annotations. */
    private ApiTypeText() {}

    ApiTypeText(AttributedElement declaration) {
        declaration
                .findAttribute(Attributes.runtimeVisibleTypeAnnotations())
                .ifPresent(found -> found.annotations().forEach(this::note));
    }

    private void note(TypeAnnotation found) {
        StringBuilder key = new StringBuilder(placeOf(found.targetInfo()));
        for (TypePathComponent step : found.targetPath()) {
            switch (step.typePathKind()) {
                case ARRAY -> key.append('[');
                case WILDCARD -> key.append('*');
                case TYPE_ARGUMENT -> key.append('<').append(step.typeArgumentIndex());
                case INNER_TYPE -> {} // the text of an inner type has one place
            }
        }
        String name = found.annotation().className().stringValue();
        String text = "@" + name.substring(name.lastIndexOf('/') + 1, name.length() - 1) + " ";
        annotations.merge(key.toString(), text, String::concat);
    }

    private static String placeOf(TypeAnnotation.TargetInfo target) {
        return switch (target) {
            case TypeAnnotation.FormalParameterTarget p -> parameter(p.formalParameterIndex());
            case TypeAnnotation.SupertypeTarget s -> supertype(s.supertypeIndex());
            case TypeAnnotation.ThrowsTarget t -> thrown(t.throwsTargetIndex());
            case TypeAnnotation.TypeParameterBoundTarget b ->
                    bound(b.typeParameterIndex(), b.boundIndex());
            default -> target.targetType().name();
        };
    }

    static String parameter(int index) {
        return "parameter " + index;
    }

    /** The interfaces of a type by index, and its superclass. */
    static String supertype(int index) {
        return "supertype " + index;
    }

    static String thrown(int index) {
        return "thrown " + index;
    }

    private static String bound(int parameter, int index) {
        return "bound " + parameter + "." + index;
    }

    /** {@code <T extends A & B>}, or nothing. */
    String parameters(List<Signature.TypeParam> parameters) {
        if (parameters.isEmpty()) {
            return "";
        }
        List<String> all = new ArrayList<>();
        for (int i = 0; i < parameters.size(); i++) {
            Signature.TypeParam parameter = parameters.get(i);
            List<String> bounds = new ArrayList<>();
            int place = i;
            parameter.classBound().map(b -> of(b, bound(place, 0))).ifPresent(bounds::add);
            List<Signature.RefTypeSig> interfaces = parameter.interfaceBounds();
            for (int b = 0; b < interfaces.size(); b++) {
                bounds.add(of(interfaces.get(b), bound(i, b + 1)));
            }
            if (bounds.equals(List.of("Object"))) {
                bounds.clear();
            }
            all.add(
                    parameter.identifier()
                            + (bounds.isEmpty() ? "" : " extends " + String.join(" & ", bounds)));
        }
        return "<" + String.join(", ", all) + ">";
    }

    /** The types of parameters, the last with dots if the method takes as many as there are. */
    String arguments(List<Signature> types, boolean isVarArgs) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < types.size(); i++) {
            String text = of(types.get(i), parameter(i));
            boolean hasDots = isVarArgs && i == types.size() - 1;
            all.add(hasDots ? text.substring(0, text.length() - "[]".length()) + "..." : text);
        }
        return "(" + String.join(", ", all) + ")";
    }

    String of(Signature type, String at) {
        String notes = annotations.getOrDefault(at, "");
        return switch (type) {
            case Signature.BaseTypeSig base -> notes + named(base);
            case Signature.TypeVarSig variable -> notes + variable.identifier();
            case Signature.ArrayTypeSig array ->
                    of(array.componentSignature(), at + "[")
                            + (notes.isEmpty() ? "" : " " + notes)
                            + "[]";
            case Signature.ClassTypeSig named -> notes + nameOf(named, at) + arguments(named, at);
        };
    }

    private static String named(Signature.BaseTypeSig base) {
        return switch (base.baseType()) {
            case 'B' -> "byte";
            case 'C' -> "char";
            case 'D' -> "double";
            case 'F' -> "float";
            case 'I' -> "int";
            case 'J' -> "long";
            case 'S' -> "short";
            case 'V' -> "void";
            case 'Z' -> "boolean";
            default -> throw new IllegalArgumentException("a base type " + base.baseType());
        };
    }

    private String nameOf(Signature.ClassTypeSig type, String at) {
        return type.outerType()
                .map(outer -> of(outer, at + ".") + "." + type.className())
                .orElseGet(() -> dotted(type.className()));
    }

    private String arguments(Signature.ClassTypeSig type, String at) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < type.typeArgs().size(); i++) {
            String place = at + "<" + i;
            all.add(
                    switch (type.typeArgs().get(i)) {
                        case Signature.TypeArg.Unbounded _ ->
                                annotations.getOrDefault(place, "") + "?";
                        case Signature.TypeArg.Bounded bounded -> bounded(bounded, place);
                    });
        }
        return all.isEmpty() ? "" : "<" + String.join(", ", all) + ">";
    }

    private String bounded(Signature.TypeArg.Bounded argument, String place) {
        return switch (argument.wildcardIndicator()) {
            case NONE -> of(argument.boundType(), place);
            case EXTENDS -> "? extends " + of(argument.boundType(), place + "*");
            case SUPER -> "? super " + of(argument.boundType(), place + "*");
        };
    }

    /** As programs write it, of an internal name. */
    static String dotted(String internalName) {
        String name = internalName.replace('/', '.').replace('$', '.');
        boolean isShort =
                name.startsWith(JAVA_LANG)
                        && internalName.lastIndexOf('/') == JAVA_LANG.length() - 1;
        return isShort ? name.substring(JAVA_LANG.length()) : name;
    }

    /** A value in an annotation, or the default of an element of one. */
    static String value(AnnotationValue value) {
        return switch (value) {
            case AnnotationValue.OfConstant constant -> literal(constant.resolvedValue());
            case AnnotationValue.OfEnum constant ->
                    descriptor(constant.className().stringValue())
                            + "."
                            + constant.constantName().stringValue();
            case AnnotationValue.OfClass type ->
                    descriptor(type.className().stringValue()) + ".class";
            case AnnotationValue.OfArray array ->
                    array.values().stream()
                            .map(ApiTypeText::value)
                            .collect(Collectors.joining(", ", "{", "}"));
            case AnnotationValue.OfAnnotation nested -> annotation(nested.annotation());
        };
    }

    /** The annotations of the language on a declaration, such as what is deprecated. */
    static List<String> annotationsOf(AttributedElement declaration) {
        return declaration.findAttribute(Attributes.runtimeVisibleAnnotations()).stream()
                .flatMap(found -> found.annotations().stream())
                .filter(each -> each.className().stringValue().startsWith("Ljava/lang/"))
                .map(ApiTypeText::annotation)
                .sorted()
                .toList();
    }

    private static String annotation(Annotation annotation) {
        String name = "@" + descriptor(annotation.className().stringValue());
        return annotation.elements().isEmpty()
                ? name
                : annotation.elements().stream()
                        .map(ApiTypeText::element)
                        .collect(Collectors.joining(", ", name + "(", ")"));
    }

    private static String element(AnnotationElement element) {
        return element.name().stringValue() + " = " + value(element.value());
    }

    private static String descriptor(String descriptor) {
        return new ApiTypeText().of(Signature.parseFrom(descriptor), "");
    }

    /** On one line, in ASCII. */
    static String literal(Object value) {
        return switch (value) {
            case String text -> "\"" + escaped(text) + "\"";
            case Character one -> "'" + escaped(one.toString()) + "'";
            default -> value.toString();
        };
    }

    private static String escaped(String text) {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"' || c == '\\') {
                all.append('\\').append(c);
            } else if (c < ' ' || c > '~') {
                all.append(String.format(Locale.ROOT, "\\u%04x", (int) c));
            } else {
                all.append(c);
            }
        }
        return all.toString();
    }
}
